"""ProcessSandbox: limits of the operating system, and nothing more."""

from __future__ import annotations

import tempfile
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from maxcode.errors import InputError
from maxcode.sandbox.base import NO_FILES, Completed, Ended, Files, Limits, Sandbox, SharedRun
from maxcode.sandbox.launch import Isolation, Launch, Pipes, RunSpec, together
from maxcode.sandbox.running import Running


class GuardedSandbox(Sandbox):
    """A sandbox that differs from others only in what it puts around a command."""

    @abstractmethod
    def isolation(self, limits: Limits, files: Files) -> AbstractContextManager[Isolation]:
        """What to put around a command, there for as long as it runs."""

    def run(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Completed:
        """Run the command; see :meth:`Sandbox.run`."""
        with self._launched(RunSpec(command, (SharedRun(limits, files),))) as launched:
            return next(launched.completed())

    def run_each(self, command: Sequence[str], turns: Iterable[SharedRun]) -> Ended:
        """Run the command so often; see :meth:`Sandbox.run_each`."""
        if not self.isolated:  # traces would not show
            yield from super().run_each(command, turns)
            return
        rest = list(turns)
        while rest:
            with self._launched(RunSpec(command, rest[: together(rest)])) as launched:
                for completed in launched.completed():
                    del rest[0]
                    yield completed
                    if not completed.ok:
                        return

    def start(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Running:
        """Start the command; see :meth:`Sandbox.start`."""
        if files.stdin is not None:
            raise InputError("a program that is started reads what it is sent, not a file")

        def launch(ends: Pipes) -> AbstractContextManager[Launch]:
            return self._launched(RunSpec(command, (SharedRun(limits, files),), ends))

        return Running(launch)

    @contextmanager
    def _launched(self, order: RunSpec) -> Iterator[Launch]:
        with (
            self.isolation(order.turns[0].limits, order.turns[0].files) as around,
            Launch(around, order) as launched,
        ):
            yield launched


class ProcessSandbox(GuardedSandbox):
    """Runs a command in a session of its own with limits on time, memory, files and output.

    It keeps honest programs from doing harm by accident: the environment is nearly empty, no
    descriptor is inherited, and whatever it started is killed in the end. It hides neither files
    nor processes, does not bound the size of the private folder, counts processes only now and then
    (Linux would count the user's others too), which is too late for a fork bomb, and a program may
    kill its guard: it is no protection from hostile code.
    """

    isolated = False

    @contextmanager
    def isolation(
        self,
        limits: Limits,  # noqa: ARG002 - the supervisor's business
        files: Files,  # noqa: ARG002 - all are seen anyway
    ) -> Iterator[Isolation]:
        """A private folder; see :meth:`GuardedSandbox.surroundings`."""
        with tempfile.TemporaryDirectory(prefix="maxcode-") as private:
            # of a compiler that is killed, temporary files stay behind
            yield Isolation(folder=Path(private), environment={"TMPDIR": private})
