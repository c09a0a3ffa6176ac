"""History: the events of a run, read once for all that a report tells of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from maxcode.budget import FREE, Cost
from maxcode.journal.events import (
    Answered,
    Asked,
    Committed,
    Compared,
    Evaluated,
    Event,
    Granted,
    ProposalRecord,
    Proposed,
    Ranked,
    SessionStarted,
)
from maxcode.journal.journal import Recorded, RunLog
from maxcode.journal.state import OpenExpansion, RunState
from maxcode.ranking import Agreement
from maxcode.report.export import CallRow, RunReader, RunRow, StepRow
from maxcode.report.loggers import Curve, Point
from maxcode.reward_to_go.decisions import Decisions
from maxcode.text import counted, duration, percent, price

if TYPE_CHECKING:
    from maxcode.reward_to_go.decisions import Decision
    from maxcode.reward_to_go.evaluation.judgement import Judgement


@dataclass(frozen=True, slots=True)
class Origin:
    """The proposal that a step was, and the answer of a model that it was made of, if any."""

    proposal: ProposalRecord
    answer: Answered | None


class History:
    """What a run's events tell. :meth:`read` reads those that came since the last time."""

    def __init__(self, log: RunLog) -> None:
        self._reader = RunReader(log)
        self._curve = Curve()
        self._points: list[Point] = []
        self._open: dict[int, OpenExpansion] = {}
        self.calls: list[CallRow] = []
        self.comparisons: list[Compared] = []
        self.origins: dict[int, Origin] = {}  # by step
        self.critics: dict[int, Answered] = {}  # the answer that a step's critique is made of
        self.seconds: defaultdict[str, float] = defaultdict(float)  # by kind of work
        self.estimated = Heard()
        self.started: float | None = None
        self.updated: float | None = None
        self._decisions: Decisions | None = None

    @classmethod
    def of(cls, log: RunLog) -> History:
        """The history of a run, up to now."""
        history = cls(log)
        history.read()
        return history

    def read(self) -> bool:
        """Read the events that are new; tells whether there were any."""
        before = self.state.last_event
        for recorded in self.log.events(before):
            self._hear(recorded)
        return self.state.last_event > before

    @property
    def state(self) -> RunState:
        """The events, folded."""
        return self._reader.state

    @property
    def log(self) -> RunLog:
        """Where the events are."""
        return self.state.log

    @property
    def points(self) -> list[Point]:
        """How the run stood after each evaluation; the last may rise when they are compared."""
        return [*self._points, *deepcopy(self._curve).flush(self.state)]

    def run(self) -> RunRow:
        """The run as a row."""
        return self._reader.run()

    def steps(self) -> list[StepRow]:
        """Its steps as rows."""
        return list(self._reader.steps())

    @property
    def decisions(self) -> Decisions:
        """The states of the search, and what became of the candidates there."""
        if self._decisions is None:
            self._decisions = Decisions(self.log)
        self._decisions.read()
        return self._decisions

    def _hear(self, recorded: Recorded) -> None:
        self.started = recorded.at if self.started is None else self.started
        self.updated = recorded.at
        self.estimated.hear(recorded.event)
        rows = self._reader.hear(recorded)
        self.calls += [row for row in rows if isinstance(row, CallRow)]
        self._points += self._curve.hear(recorded, self.state)
        match recorded.event:
            case SessionStarted(prepared=prepared):
                self.seconds["preparing the baseline"] += prepared
            case Asked():
                self._open.update(self.state.open)
            case Answered(role="critic", step=int(step)) as event if not event.call.problem:
                self.critics[step] = event
                self.seconds["diagnosing"] += event.call.seconds
            case Proposed(seconds=seconds):
                self.seconds["proposing"] += seconds
            case Ranked(seconds=seconds):
                self.seconds["estimating"] += seconds
            case Evaluated(evaluation=evaluation):
                self.seconds["building, checking, timing"] += evaluation.seconds
            case Compared() as event:
                self.seconds["comparing"] += event.comparison.seconds
                self.comparisons.append(event)
            case Committed(number=number):
                self._trace(self._open.pop(number))

    def _trace(self, done: OpenExpansion) -> None:
        """Note which proposal of an expansion each of its steps was."""
        proposals = done.proposed.proposals if done.proposed else ()
        answers = {one.text: one for one in done.answers.values() if one.role == "generator"}
        for step, index in zip(self.state.last_committed, done.chosen, strict=True):
            proposal = proposals[index]
            self.origins[step.id] = Origin(proposal, answers.get(proposal.answer))


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
            guarded=state.started is not None and state.started.options.guard,
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
    from maxcode.reward_to_go.evaluation.judgement import recorded  # noqa: PLC0415 - numpy is not needed elsewhere here

    return list(filter(None, map(recorded, decided)))


def trusted(judged: Sequence[Judgement]) -> list[tuple[str, str]]:
    """How well a run's estimates chose, under its name; nothing where that cannot be told."""
    from maxcode.reward_to_go.evaluation.figures import Trust  # noqa: PLC0415 - numpy is not needed elsewhere here

    if not judged:
        return []
    figures = Trust.of(judged).figures
    regret, random = figures.get("regret@1"), figures.get("random_regret@1")
    saved, parts = figures["saved.decision"], []
    if regret and random:
        parts.append(
            f"the one it liked best of each state is {percent(regret.value)} slower than the best "
            f"that was run, one drawn at random {percent(random.value)}"
        )
    if saved:
        parts.append(f"its order finds the best with {percent(saved.value)} fewer evaluations")
    return [("choices", "; ".join(parts))] if parts else []


_BINS = 10
_MIN_CANDIDATES = 5  # candidates in a bin


@dataclass(frozen=True, slots=True)
class Estimated:
    """A candidate: what was expected of it, and the mean best reward on the paths through it."""

    step: int
    estimate: float
    became: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Candidates of about the same estimate: means, and the quartiles of what they became."""

    estimate: float
    became: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """The estimates of a run. ``facts`` say in words how far they were right, under names."""

    points: tuple[Estimated, ...]
    bins: tuple[Bin, ...]
    facts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, history: History) -> Calibration:
        """Of a run with estimates."""
        judged = judgements(history.decisions)
        points = tuple(
            Estimated(step, float(estimate), float(target))
            for one in judged
            for step, estimate, target in zip(one.steps, one.estimates, one.targets, strict=True)
        )
        return cls(
            points, _bins(points), (*ranked(history.state, history.estimated), *trusted(judged))
        )


def _bins(points: tuple[Estimated, ...]) -> tuple[Bin, ...]:
    """Bins of equally many candidates, as many as there are enough candidates for."""
    import numpy as np  # noqa: PLC0415 - only runs with estimates need it

    ordered = sorted(points, key=lambda one: one.estimate)
    count = min(_BINS, len(ordered) // _MIN_CANDIDATES)
    bins = []
    for group in np.array_split(np.arange(len(ordered)), count) if count else ():
        estimates = [ordered[i].estimate for i in group]
        became = [ordered[i].became for i in group]
        low, high = np.percentile(became, (25, 75))
        mean = float(np.mean(became))
        bins.append(Bin(float(np.mean(estimates)), mean, float(low), float(high), len(group)))
    return tuple(bins)
