"""SupervisedSandbox, whose runs have a supervisor, and ProcessSandbox with nothing more."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from maxcode.errors import InputError
from maxcode.sandbox.base import (
    NO_FILES,
    Completed,
    Ended,
    Files,
    Limits,
    Sandbox,
    SharedRun,
)
from maxcode.sandbox.launch import Isolation, Launch, Pipes, count_together
from maxcode.sandbox.running import Running
from maxcode.system import ScratchFolder


class SupervisedSandbox(Sandbox):
    """Runs commands under a supervisor, within an isolation of the subclass's."""

    @abstractmethod
    def isolation(self, limits: Limits, files: Files) -> AbstractContextManager[Isolation]:
        """The measures around a command, in place for as long as it runs."""

    def run(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Completed:
        """Run the command; see :meth:`Sandbox.run`."""
        with self._launched(command, (SharedRun(limits, files),)) as launched:
            return next(launched.completed())

    def run_each(self, command: Sequence[str], runs: Iterable[SharedRun]) -> Ended:
        """Run the command for each; see :meth:`Sandbox.run_each`."""
        if not self.isolated:  # traces would not show
            yield from super().run_each(command, runs)
            return
        rest = list(runs)
        while rest:
            with self._launched(command, rest[: count_together(rest)]) as launched:
                for completed in launched.completed():
                    del rest[0]
                    yield completed
                    if not completed.ok:
                        return

    def start(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Running:
        """Start the command; see :meth:`Sandbox.start`."""
        if files.stdin is not None:
            raise InputError("a program that is started reads what it is sent, not a file")
        if files.program is not None:
            raise InputError(
                "a program that is talked with cannot be alone; give it as one to read"
            )

        def launch(pipes: Pipes) -> AbstractContextManager[Launch]:
            return self._launched(command, (SharedRun(limits, files),), pipes)

        return Running(launch, takes_files=bool(files.devices))  # memory of a GPU

    @contextmanager
    def _launched(
        self, command: Sequence[str], runs: Sequence[SharedRun], pipes: Pipes | None = None
    ) -> Iterator[Launch]:
        limits, files = runs[0].limits, runs[0].files
        if files.alone and command[0] != str(files.program):
            raise InputError(f"{files.program} is to run, and the command begins with {command[0]}")
        with (
            self.isolation(limits, files) as isolation,
            Launch(isolation, command, runs, pipes) as launched,
        ):
            yield launched


class ProcessSandbox(SupervisedSandbox):
    """Runs a command in a session of its own with limits on time, memory, files and output.

    It keeps honest programs from doing harm by accident, and whatever they started is killed in the
    end. It hides neither files nor processes, does not bound the private folder, counts processes
    only now and then, and a program may kill its supervisor: it is no protection from hostile code.
    """

    isolated = False

    @contextmanager
    def isolation(
        self,
        limits: Limits,  # noqa: ARG002 - the supervisor's business
        files: Files,  # all are seen anyway
    ) -> Iterator[Isolation]:
        """A private folder; see :meth:`SupervisedSandbox.isolation`."""
        if files.mounts or files.folders:
            raise InputError("without isolation a run sees files only where they are")
        with ScratchFolder("maxcode-run-") as private:
            # of a compiler that is killed, temporary files stay behind
            yield Isolation(folder=private, environment={"TMPDIR": str(private)})
