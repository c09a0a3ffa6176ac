"""Sandbox: the interface to run a program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from maxcode.sandbox.running import Running
from maxcode.sandbox.runs import (
    NO_FILES,
    OUT_OF_TIME,
    Completed,
    Deadline,
    Ended,
    Files,
    Limits,
    Mount,
    SharedRun,
    StoppedError,
)

__all__ = [
    "NO_FILES",
    "OUT_OF_TIME",
    "Completed",
    "Deadline",
    "Ended",
    "Files",
    "Limits",
    "Mount",
    "Running",
    "Sandbox",
    "SharedRun",
    "StoppedError",
]


class Sandbox(ABC):
    """Runs commands, from any number of threads.

    ``isolated`` says whether untrusted code may be run in it.
    """

    isolated: bool

    @abstractmethod
    def run(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Completed:
        """Run ``command``, whose program is given by its absolute path.

        Words ``NAME=VALUE`` before it are variables of its environment, as in a shell. Output past
        ``limits.output`` ends the run. When this returns, every process of the command is gone.
        Raises :class:`~maxcode.errors.ToolError` when the sandbox cannot work on this machine, or
        without such a program; :class:`~maxcode.errors.ExecutorError` when killed processes do not
        die.
        """

    def run_each(self, command: Sequence[str], runs: Iterable[SharedRun]) -> Ended:
        """Run ``command`` again and again; the next run begins when the last is over.

        Each goes as if it were alone, as by ``run``, though it may begin before the last result is
        asked for. A run that is not :attr:`~Completed.ok` is the last. Raises as ``run`` does.
        """
        for run in runs:
            yield (completed := self.run(command, run.limits, run.files))
            if not completed.ok:
                return

    @abstractmethod
    def start(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Running:
        """Start ``command`` as ``run`` does, to talk with it while it runs.

        Our lines go to its standard input; we receive its lines on
        :data:`~maxcode.sandbox.running.ANSWERS`. It ends with us, and any thread may start it and
        end itself. Raises as ``run`` does, at the start or at the end; and
        :class:`~maxcode.errors.InputError` when ``files`` names a standard input.
        """
