"""What a run has begun and not ended: expansions that await their commitment, a reduction."""

from __future__ import annotations

from dataclasses import dataclass, field

from maxcode.budget import FREE, Cost
from maxcode.evaluation import Comparison, Critique, Evaluation, FuzzResult, HunkWorth, Profile
from maxcode.journal.events import (
    Answered,
    Granted,
    Proposed,
    Ranked,
    Reduced,
    ReductionStarted,
    Requested,
    Role,
)
from maxcode.tree import Expansion


@dataclass(slots=True)
class Reduction:
    """What is known of the reduction of a best program.

    ``judged`` counts the variants that were evaluated, ``seconds`` what that and comparing took.
    ``comparisons`` are those of a purpose and a pair of programs, in their order; ``fuzzed`` says,
    by program, how it compared with the baseline on further inputs. ``hunks`` is None as long as
    they are not measured.
    """

    started: ReductionStarted
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    comparisons: dict[tuple[str, str, str], list[Comparison]] = field(default_factory=dict)
    fuzzed: dict[str, FuzzResult] = field(default_factory=dict)
    judged: int = 0
    seconds: float = 0.0
    reduced: Reduced | None = None
    hunks: tuple[HunkWorth, ...] | None = None

    def last(self, purpose: str, program: str, against: str) -> Comparison | None:
        """The last comparison of two programs for a purpose, if there was one."""
        return self.comparisons.get((purpose, program, against), [None])[-1]


Requester = tuple[Role, int | None]
"""Who asked a model, and what step a critic was to diagnose."""

RequestKey = tuple[Role, int | None, str, int]
"""An asker, the digest of a request, and the number of the sample."""


@dataclass(slots=True)
class OpenExpansion:
    """An expansion that was asked for and not yet committed, with all that is known of it."""

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
    def paid(self) -> Cost:
        """All that it has cost so far.

        Answers are counted when they come. What plug-ins claim to have paid counts as far as it is
        more than that: it is the same, but for those who keep no answers in the transcript.
        """
        paid = self.lost + Cost(evaluations=self.evaluations)
        for asker, answered in self.answered.items():
            paid += answered.at_least(self.claimed.get(asker, FREE))
        for asker, claimed in self.claimed.items():
            if asker not in self.answered:
                paid += claimed
        return paid

    def request(self, event: Requested) -> None:
        """Record that samples are asked for."""
        for sample in event.samples:
            self.requested[event.role, event.step, event.request, sample] = event

    def answer(self, event: Answered) -> None:
        """Record an answer, or what a request without one used."""
        asker, call = (event.role, event.step), event.call
        self.requested.pop((*asker, call.request, call.sample), None)
        if call.problem:
            self.lost += call.cost
        else:
            self.answers[(*asker, call.request, call.sample)] = event
            self.answered[asker] = self.answered.get(asker, FREE) + call.cost

    @property
    def chosen(self) -> tuple[int, ...]:
        """Indices of the proposals to run, in the order in which they enter the tree."""
        if self.ranked:
            return self.ranked.chosen
        if self.granted is None or self.proposed is None:
            return ()
        return tuple(range(min(self.granted.run, len(self.proposed.proposals))))
