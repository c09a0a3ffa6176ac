"""What became of a run's estimates of reward-to-go: how far they were right, and what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from maxcode.budget import FREE, Cost
from maxcode.journal.events import Answered, Event, Granted, Ranked
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.ranking import Agreement
from maxcode.text import counted, duration, percent, price

if TYPE_CHECKING:
    from maxcode.reward_to_go.decisions import Decision
    from maxcode.reward_to_go.evaluation.judgement import Judgement

# ruff: noqa: PLC0415 - only runs with estimates need numpy


class EstimateCounts:
    """What a run's events say of its estimates beside its state."""

    def __init__(self) -> None:
        self.ranked = 0
        self.granted: dict[int, bool] = {}  # whether more was proposed than run, by expansion
        self._answered = self._claimed = FREE

    @classmethod
    def of(cls, log: RunLog) -> EstimateCounts:
        """Those of all events of a run."""
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
        """What was paid for them."""
        return self._answered.at_least(self._claimed)


@dataclass(frozen=True)
class Estimates:
    """What became of the estimates of a run.

    ``pairs`` counts pairs of candidates of one state that were both run, so that their order is
    known. ``listened`` is how many of the ``expansions`` proposed more than they ran; ``guarded``
    says that others did not because the model was not yet known to be right. ``cost`` is what was
    paid for the estimates, ``seconds`` how long they took.
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
        """Those of a run; None when there are none. Without ``counts`` its events are read."""
        if not state.estimates.rankings:
            return None
        counts = counts or EstimateCounts.of(state.log)
        if not counts.ranked:
            return None
        return cls(
            agreement=state.agreement,
            pairs=state.estimates.pairs,
            seconds=state.estimates.seconds,
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


def judgements(decided: Iterable[Decision]) -> list[Judgement]:
    """The decisions for which there are estimates, with what became of the candidates."""
    from maxcode.reward_to_go.evaluation.judgement import recorded

    return list(filter(None, map(recorded, decided)))


def choice_facts(judged: Sequence[Judgement]) -> list[tuple[str, str]]:
    """How well a run's estimates chose, under a name; empty where that is unknown."""
    from maxcode.reward_to_go.evaluation.figures import Trust

    if not judged:
        return []
    figures = Trust.of(judged).figures
    regret, random = figures.get("regret@1"), figures.get("random_regret@1")
    saved, parts = figures["saved"], []
    if regret and random:
        parts.append(
            f"the one it liked best of each state is {percent(regret.value)} slower than the best "
            f"that was run, one drawn at random {percent(random.value)}"
        )
    if saved:
        parts.append(f"its order finds the best with {percent(saved.value)} fewer evaluations")
    return [("choices", "; ".join(parts))] if parts else []
