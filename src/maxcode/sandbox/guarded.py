"""GuardedSandbox: what all sandboxes with a warden have in common, which is nearly everything."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from maxcode.errors import InputError
from maxcode.sandbox.base import NO_FILES, Completed, Ended, Files, Limits, Sandbox, Turn
from maxcode.sandbox.launch import Ends, Launch, Order, Surroundings, together
from maxcode.sandbox.running import Running


class GuardedSandbox(Sandbox):
    """A sandbox that differs from others only in what it puts around a command."""

    @abstractmethod
    def surroundings(self, limits: Limits, files: Files) -> AbstractContextManager[Surroundings]:
        """What to put around a command, there for as long as it runs."""

    def run(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Completed:
        """Run the command; see :meth:`Sandbox.run`."""
        with self._launched(Order(command, (Turn(limits, files),))) as launched:
            return next(launched.completed())

    def run_each(self, command: Sequence[str], turns: Iterable[Turn]) -> Ended:
        """Run the command so often; see :meth:`Sandbox.run_each`."""
        if not self.isolated:  # traces would not show
            yield from super().run_each(command, turns)
            return
        rest = list(turns)
        while rest:
            with self._launched(Order(command, rest[: together(rest)])) as launched:
                for completed in launched.completed():
                    del rest[0]
                    yield completed
                    if not completed.ok:
                        return

    def start(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Running:
        """Start the command; see :meth:`Sandbox.start`."""
        if files.stdin is not None:
            raise InputError("a program that is started reads what it is sent, not a file")

        def launch(ends: Ends) -> AbstractContextManager[Launch]:
            return self._launched(Order(command, (Turn(limits, files),), ends))

        return Running(launch)

    @contextmanager
    def _launched(self, order: Order) -> Iterator[Launch]:
        with (
            self.surroundings(order.turns[0].limits, order.turns[0].files) as around,
            Launch(around, order) as launched,
        ):
            yield launched
