"""A run's estimates of reward-to-go: their accuracy and their cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from maxcode.budget import FREE, Cost
from maxcode.journal.events import Answered, Event, Granted, Ranked
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.ranking import Agreement
from maxcode.text import counted, duration, price

if TYPE_CHECKING:
    pass


class EstimateCounts:
    """Counts about estimates in a run's events, beside its state."""

    def __init__(self) -> None:
        self.ranked = 0
        self.granted: dict[int, bool] = {}  # whether more was proposed than run, by expansion
        self._answered = self._claimed = FREE

    @classmethod
    def of(cls, log: RunLog) -> EstimateCounts:
        """Counts over all events of a run."""
        counts = cls()
        for recorded in log.events():
            counts.add(recorded.event)
        return counts

    def add(self, happened: Event) -> None:
        """Count the next event."""
        match happened:
            case Granted() as event:
                self.granted[event.number] = event.propose > event.run
            case Answered(role="reward-to-go") as event:
                self._answered += event.call.cost
            case Ranked() as event:
                self.ranked += 1
                self._claimed += sum((value.cost for value in event.values if value), FREE)

    @property
    def cost(self) -> Cost:
        """Cost of the estimates."""
        return self._answered.at_least(self._claimed)


@dataclass(frozen=True)
class Estimates:
    """The estimates of a run.

    ``pairs`` counts pairs of executed candidates of the same state, whose order is known.
    ``listened`` of the ``expansions`` proposed more than they ran; ``guarded``: the others waited
    until the model had proved right. ``cost`` and ``seconds`` are of all estimates.
    """

    agreement: Agreement
    pairs: int
    guarded: bool
    listened: int
    expansions: int
    cost: Cost
    seconds: float

    @classmethod
    def of(cls, state: RunState, counts: EstimateCounts | None = None) -> Estimates | None:
        """The estimates of a run; None for none. Without ``counts`` its events are read."""
        if not state.progress.estimates.rankings:
            return None
        counts = counts or EstimateCounts.of(state.log)
        if not counts.ranked:
            return None
        return cls(
            agreement=state.progress.estimates.agreement,
            pairs=state.progress.estimates.pairs,
            seconds=state.progress.estimates.seconds,
            guarded=state.started is not None and state.started.options.guard,
            listened=sum(counts.granted.values()),
            expansions=len(counts.granted),
            cost=counts.cost,
        )

    def __str__(self) -> str:
        parts = [self._order()]
        if self.guarded:
            parts.append(f"heeded in {self.listened} of {counted(self.expansions, 'expansion')}")
        parts.append(f"took {duration(self.seconds)}")
        if self.cost.tokens:
            bill = price(self.cost.dollars, self.cost.unpriced)
            parts.append(f"{self.cost.tokens:,} tokens, {bill}")
        return "; ".join(parts)

    def _order(self) -> str:
        tau, chance = self.agreement.tau, self.agreement.chance
        if not isfinite(chance):
            return "no two candidates of a state tell whether they are right"
        if chance >= 1:
            order = "too few pairs to say whether they order candidates better than chance"
        else:
            word = "better" if tau > chance else "worse" if tau < -chance else "no better"
            order = f"they order candidates {word} than chance"
        pairs = counted(self.pairs, "pair")
        return f"{order}: tau {tau:.2f}, chance alone reaches {chance:.2f}, {pairs}"


def estimate_facts(state: RunState, counts: EstimateCounts | None = None) -> list[tuple[str, str]]:
    """The estimates of a run in words, under their name; empty where there are none."""
    found = Estimates.of(state, counts)
    return [("estimates", str(found))] if found else []
