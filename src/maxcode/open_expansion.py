"""OpenExpansion: what is known of an expansion that is under way."""

from __future__ import annotations

from dataclasses import dataclass, field

from maxcode.cost import FREE, Cost
from maxcode.evaluation import Critique, Profile
from maxcode.events import Answered, Granted, Proposed, Ranked, Role
from maxcode.tree import Expansion

Asker = tuple[Role, int | None]
"""Who asked a model, and what step a critic was to diagnose."""

Asked = tuple[Role, int | None, str, int]
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
    lost: Cost = FREE  # what models used in vain
    answers: dict[Asked, Answered] = field(default_factory=dict)
    answered: dict[Asker, Cost] = field(default_factory=dict)
    claimed: dict[Asker, Cost] = field(default_factory=dict)

    @property
    def paid(self) -> Cost:
        """All that it has cost so far.

        Answers are counted when they come. What plug-ins claim to have paid counts as far as it is
        more than that: it is the same, but for those who keep no answers in the transcript.
        """
        nothing = dict.fromkeys([*self.answered, *self.claimed], FREE)
        known = ({**nothing, **self.answered}, {**nothing, **self.claimed})
        most = (known[0][asker].at_least(known[1][asker]) for asker in nothing)
        return sum(most, self.lost + Cost(evaluations=self.evaluations))

    def answer(self, event: Answered) -> None:
        """Take note of an answer, or of what was used in vain."""
        asker, call = (event.role, event.step), event.call
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
