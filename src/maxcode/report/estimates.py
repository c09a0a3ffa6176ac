"""How far a reward-to-go model was right in a run, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from maxcode.cost import FREE, Cost
from maxcode.events import Answered, Event, Granted, Ranked
from maxcode.journal import RunLog
from maxcode.ranking import Agreement
from maxcode.state import RunState
from maxcode.telling.words import counted, duration, percent, price

if TYPE_CHECKING:
    from maxcode.reward_to_go.decisions import Decision
    from maxcode.trust import Judgement


class Heard:
    """What a run's events tell of its estimates, beside its state."""

    def __init__(self) -> None:
        self.ranked = 0
        self.granted: dict[int, bool] = {}  # whether more was proposed than run, by expansion
        self._answered = self._claimed = FREE

    @classmethod
    def of(cls, log: RunLog) -> Heard:
        """By all events."""
        heard = cls()
        for recorded in log.events():
            heard.hear(recorded.event)
        return heard

    def hear(self, happened: Event) -> None:
        """The next event."""
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

    ``pairs`` of candidates of one state were both run, so that their order could be told.
    ``listened`` is how many of the ``expansions`` proposed more than they ran; ``guarded`` says
    that others did not because the model was not yet known to be right. ``cost`` is what was paid
    for the estimates, ``seconds`` how long they took.
    """

    agreement: Agreement
    pairs: int
    guarded: bool
    listened: int
    expansions: int
    cost: Cost
    seconds: float

    @classmethod
    def of(cls, state: RunState, heard: Heard | None = None) -> Estimates | None:
        """Those of a run; None when nobody made any. Without ``heard`` its events are read."""
        heard = heard or Heard.of(state.log)
        if not heard.ranked:
            return None
        return cls(
            agreement=state.agreement,
            pairs=state.estimates.pairs,
            seconds=state.estimates.seconds,
            guarded=state.started is not None and state.started.guard,
            listened=sum(heard.granted.values()),
            expansions=len(heard.granted),
            cost=heard.cost,
        )

    def __str__(self) -> str:
        parts = [self._order]
        if self.guarded:
            parts.append(f"heeded in {self.listened} of {counted(self.expansions, 'expansion')}")
        parts.append(f"took {duration(self.seconds)}")
        if self.cost.tokens:
            bill = price(self.cost.dollars, self.cost.unpriced)
            parts.append(f"{self.cost.tokens:,} tokens, {bill}")
        return "; ".join(parts)

    @property
    def _order(self) -> str:
        tau, chance = self.agreement.tau, self.agreement.chance
        if not isfinite(chance):
            return "no two candidates of a state tell whether they are right"
        return (
            f"{_order(tau, chance)}: tau {tau:.2f}, chance alone reaches {chance:.2f}, "
            f"{counted(self.pairs, 'pair')}"
        )


def _order(tau: float, chance: float) -> str:
    if chance >= 1:
        return "too few pairs to tell whether they order candidates better than chance"
    word = "better" if tau > chance else "worse" if tau < -chance else "no better"
    return f"they order candidates {word} than chance"


def ranked(state: RunState, heard: Heard | None = None) -> list[tuple[str, str]]:
    """What is told of the estimates of a run, under its name; nothing where there are none."""
    found = Estimates.of(state, heard)
    return [("estimates", str(found))] if found else []


def judgements(decided: Iterable[Decision]) -> list[Judgement]:
    """The decisions for which there are estimates, with what became of the candidates."""
    from maxcode.trust import recorded  # noqa: PLC0415 - numpy is not needed elsewhere here

    return list(filter(None, map(recorded, decided)))


def trusted(judged: Sequence[Judgement]) -> list[tuple[str, str]]:
    """How well a run's estimates chose, under its name; nothing where that cannot be told."""
    from maxcode.trust import Trust  # noqa: PLC0415 - numpy is not needed elsewhere here

    if not judged:
        return []
    figures = Trust.of(judged).figures
    regret, random = figures.get("regret@1"), figures.get("random_regret@1")
    saved, parts = figures["saved.decision"], []
    if regret and random:
        parts.append(
            f"the one it liked best of each state is {percent(regret.value)} slower than the best "
            f"that was run, one drawn by lot {percent(random.value)}"
        )
    if saved:
        parts.append(f"its order finds the best with {percent(saved.value)} fewer evaluations")
    return [("choices", "; ".join(parts))] if parts else []
