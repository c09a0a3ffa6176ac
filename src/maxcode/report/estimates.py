"""A run's estimates of reward-to-go: their accuracy and their cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from maxcode.budget import FREE, Cost
from maxcode.journal.events import Answered, Granted, Ranked
from maxcode.journal.state import RunState
from maxcode.ranking import Agreement
from maxcode.text import counted, duration, price


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
    def of(cls, state: RunState) -> Estimates | None:
        """The estimates of a run; None for none."""
        found = state.progress.estimates
        if not found.rankings:
            return None
        granted: dict[int, bool] = {}  # whether more was proposed than run, by expansion
        answered = claimed = FREE
        for recorded in state.log.events():
            match recorded.event:
                case Granted() as event:
                    granted[event.number] = event.propose > event.run
                case Answered(role="reward-to-go") as event:
                    answered += event.call.cost
                case Ranked() as event:
                    claimed += sum((value.cost for value in event.values if value), FREE)
        return cls(
            agreement=found.agreement,
            pairs=found.pairs,
            seconds=found.seconds,
            guarded=state.started is not None and state.started.options.guard,
            listened=sum(granted.values()),
            expansions=len(granted),
            cost=answered.at_least(claimed),
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


def estimate_facts(state: RunState) -> list[tuple[str, str]]:
    """The estimates of a run in words, under their name; empty where there are none."""
    found = Estimates.of(state)
    return [("estimates", str(found))] if found else []
