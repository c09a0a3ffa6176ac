"""Work begun and not ended in a run: expansions awaiting their commitment, a reduction."""

from __future__ import annotations

from dataclasses import dataclass, field

from maxcode.budget import FREE, Cost
from maxcode.evaluation import (
    Comparison,
    Critique,
    Evaluation,
    FuzzResult,
    HunkWorth,
    Profile,
)
from maxcode.journal.account import charge
from maxcode.journal.events import (
    Answered,
    Critiqued,
    Granted,
    HunksMeasured,
    Profiled,
    ProposalRecord,
    Proposed,
    Ranked,
    Reduced,
    ReductionStarted,
    Requested,
    Role,
    VariantCompared,
    VariantEvaluated,
    VariantFuzzed,
)
from maxcode.tree import Expansion


@dataclass(slots=True)
class Reduction:
    """Reduction of a best program, as far as it is.

    ``judged`` counts the variants evaluated, ``seconds`` the time of evaluating and comparing.
    ``comparisons`` go by purpose and pair of programs; ``fuzzed`` holds, by program, the comparison
    with the baseline on further inputs. ``hunks`` is None as long as they are not measured.
    """

    started: ReductionStarted
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    comparisons: dict[tuple[str, str, str], Comparison] = field(default_factory=dict)
    fuzzed: dict[str, FuzzResult] = field(default_factory=dict)
    judged: int = 0
    seconds: float = 0.0
    reduced: Reduced | None = None
    hunks: tuple[HunkWorth, ...] | None = None

    def note(self, event: ReductionEvent) -> None:
        """Fold an event after its first."""
        match event:
            case VariantEvaluated():
                self.evaluations[event.program] = event.evaluation
                self.judged += 1
                self.seconds += event.evaluation.seconds
            case VariantCompared():
                self.comparisons[event.purpose, event.program, event.against] = event.comparison
                self.seconds += event.comparison.seconds
            case VariantFuzzed():
                self.fuzzed[event.program] = event.result
                self.seconds += event.result.seconds
            case HunksMeasured():
                self.hunks = event.hunks
            case Reduced():
                self.reduced = event


ReductionEvent = VariantEvaluated | VariantCompared | VariantFuzzed | Reduced | HunksMeasured
"""Events of a reduction after its first."""

Requester = tuple[Role, int | None]
"""Role that asked a model, and the step a critic was to diagnose."""

RequestKey = tuple[Role, int | None, str, int]
"""Role and step of a request, its digest, and the number of the sample."""


@dataclass(slots=True)
class OpenExpansion:
    """An expansion asked for and not yet committed, with all that is known of it."""

    number: int
    expansion: Expansion
    granted: Granted | None = None
    proposed: Proposed | None = None
    ranked: Ranked | None = None
    critiques: dict[int, Critique] = field(default_factory=dict)
    profiles: dict[int, Profile | None] = field(default_factory=dict)
    evaluations: int = 0
    lost: Cost = FREE  # used by requests without an answer
    requested: dict[RequestKey, Requested] = field(default_factory=dict)  # still without an answer
    answers: dict[RequestKey, Answered] = field(default_factory=dict)
    answered: dict[Requester, Cost] = field(default_factory=dict)
    claimed: dict[Requester, Cost] = field(default_factory=dict)

    @property
    def candidates(self) -> tuple[ProposalRecord, ...]:
        """The chosen proposals, which become steps in this order."""
        proposals = self.proposed.proposals if self.proposed else ()
        return tuple(proposals[index] for index in self.chosen)

    @property
    def paid(self) -> Cost:
        """Whole cost so far.

        Answers are counted when they come. A plug-in's claim counts as far as it exceeds them: it
        is equal, but for plug-ins that keep no answers in the transcript.
        """
        paid = self.lost + Cost(evaluations=self.evaluations)
        for asker in {**self.answered, **self.claimed}:
            paid += self.answered.get(asker, FREE).at_least(self.claimed.get(asker, FREE))
        return paid

    def _answer(self, event: Answered) -> None:
        asker, call = (event.role, event.step), event.call
        self.requested.pop((*asker, call.request, call.sample), None)
        if call.problem:
            self.lost += call.cost
        else:
            self.answers[(*asker, call.request, call.sample)] = event
            self.answered[asker] = self.answered.get(asker, FREE) + call.cost

    def note(self, event: ExpansionEvent) -> None:
        """Fold one of its events."""
        match event:
            case Granted():
                self.granted = event
            case Requested():
                for sample in event.samples:
                    self.requested[event.role, event.step, event.request, sample] = event
            case Answered():
                self._answer(event)
            case Proposed():
                self.proposed = event
                costs = (proposal.cost for proposal in event.proposals)
                self.claimed["generator", None] = sum(costs, FREE)
            case Ranked():
                self.ranked = event
                costs = (value.cost for value in event.values if value)
                self.claimed["reward-to-go", None] = sum(costs, FREE)
            case Profiled():
                self.profiles[event.step] = event.profile
            case Critiqued():
                self.critiques[event.step] = event.critique
                self.claimed["critic", event.step] = event.critique.cost

    @property
    def chosen(self) -> tuple[int, ...]:
        """Indices of the proposals to run, in the order in which they enter the tree."""
        if self.ranked:
            return self.ranked.chosen
        if self.granted is None or self.proposed is None:
            return ()
        return tuple(range(min(self.granted.run, len(self.proposed.proposals))))


ExpansionEvent = Granted | Requested | Answered | Proposed | Ranked | Profiled | Critiqued
"""Events of an expansion before it is committed, but for evaluations."""


class OpenWork:
    """All work begun: it enters the tree once its expansion is committed.

    ``expansions`` go by number, ``evaluations`` by digest of the program. ``reduction`` is of the
    last best program reduced.
    """

    def __init__(self) -> None:
        self.expansions: dict[int, OpenExpansion] = {}
        self.evaluations: dict[str, Evaluation] = {}
        self.reduction: Reduction | None = None

    @property
    def paid(self) -> Cost:
        """Cost of uncommitted expansions, but for their evaluations."""
        return sum((one.paid for one in self.expansions.values()), FREE)

    @property
    def judged(self) -> dict[str, Evaluation]:
        """Verdicts awaiting their commitment, without failures of the harness.

        Such failures stay in ``evaluations`` after their step was counted.
        """
        return {d: one for d, one in self.evaluations.items() if charge(one) != FREE}

    def begin_reduction(self, event: ReductionStarted) -> None:
        """Begin another reduction; earlier verdicts on programs hold for it, too."""
        before = self.reduction.evaluations if self.reduction else {}
        kept = {digest: one for digest, one in before.items() if charge(one) != FREE}
        self.reduction = Reduction(event, kept)
