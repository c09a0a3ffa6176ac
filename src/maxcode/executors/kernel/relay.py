"""Relay: two candidates compared over several pairs of processes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from random import Random, SystemRandom

from maxcode.evaluation import Interval
from maxcode.executors.kernel.duel import Duel
from maxcode.measure.rounds import Plan, interleave

LEG = 6
"""Rounds that a pair of processes runs."""


class Relay:
    """Rounds of two candidates, in fresh processes every few.

    A process is quicker or slower than another with the same kernel by some per cent for as long as
    it lives, for the pages that it got. What is to be believed must not hang on one pair of them.

    ``open_pair`` gives the duel of a new pair, which ``stack`` closes at the latest.
    """

    def __init__(
        self, open_pair: Callable[[], AbstractContextManager[Duel]], stack: ExitStack
    ) -> None:
        self._open_pair = open_pair
        self._pair = stack.enter_context(ExitStack())
        self._duel: Duel | None = None
        self._legs = 0
        self._ours = self._theirs = 0  # turns that were taken

    def measure(self, plan: Plan) -> tuple[list[float], list[float], Interval]:
        """Seconds of the calls of both, and how many times faster the first is.

        Raises what :class:`Duel` does.
        """
        rng = Random(SystemRandom().getrandbits(64))
        measured = interleave(self._turn, self._other_turn, lambda one: one, plan, rng)
        self._end()
        return measured

    def _turn(self) -> float:
        duel = self._at(self._ours)
        self._ours += 1
        return duel.turn().seconds

    def _other_turn(self) -> float:
        duel = self._at(self._theirs)
        self._theirs += 1
        return duel.other_turn().seconds

    def _at(self, turn: int) -> Duel:
        """The duel that a turn belongs to; both sides change over in the same round."""
        if self._duel is None or turn == self._legs * LEG:
            self._end()
            self._duel = self._pair.enter_context(self._open_pair())
            self._duel.warm_up()
            self._legs += 1
        return self._duel

    def _end(self) -> None:
        if self._duel:
            self._duel.end()
        self._pair.close()
        self._duel = None
