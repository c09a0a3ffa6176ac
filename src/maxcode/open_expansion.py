"""OpenExpansion: what is known of an expansion that is under way."""

from __future__ import annotations

from dataclasses import dataclass, field

from maxcode.cost import FREE, Cost
from maxcode.evaluation import Critique, Profile
from maxcode.events import Answered, Granted, Proposed, Ranked, Role
from maxcode.tree import Expansion


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
    paid: Cost = FREE
    lost: Cost = FREE  # the part of it that models used in vain
    answers: dict[tuple[Role, int | None, str, int], Answered] = field(default_factory=dict)

    @property
    def unclaimed(self) -> Cost:
        """What answers have cost of which nothing was made yet; it is not in ``paid``."""
        waiting = (
            answer.call.cost
            for answer in self.answers.values()
            if (self.proposed is None if answer.role == "generator" else not self._read(answer))
        )
        return sum(waiting, FREE)

    def answered(self, event: Answered) -> None:
        """Take note of an answer, or of what was used in vain."""
        if event.call.problem:
            self.paid += event.call.cost
            self.lost += event.call.cost
        else:
            self.answers[event.role, event.step, event.call.request, event.call.sample] = event

    def _read(self, answer: Answered) -> bool:
        return answer.step in self.critiques

    @property
    def chosen(self) -> tuple[int, ...]:
        """Indices of the proposals to run, in the order in which they enter the tree."""
        if self.ranked:
            return self.ranked.chosen
        if self.granted is None or self.proposed is None:
            return ()
        return tuple(range(min(self.granted.run, len(self.proposed.proposals))))
