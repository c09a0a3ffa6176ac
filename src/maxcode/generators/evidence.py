"""Evidence: what the steps of an observation tell about each rewrite."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from statistics import median

from maxcode.evaluation import Status
from maxcode.observation import Observation
from maxcode.tree import Step

_NOISE = 0.03  # a smaller change of speed may be luck
_MOST = 4.0  # larger gains count as this one, or nothing else would be drawn


class Evidence:
    """Which tags failed, which are safe, and by how much each changed the speed.

    A step that differs from its parent by one tag tells about that tag alone. A failure with
    several new tags makes each of them suspect, unless it was in a program that passed.
    """

    def __init__(self, observation: Observation, knows: Callable[[Iterable[str]], bool]) -> None:
        self._failed: set[str] = set()
        self._cleared: set[str] = set()
        self._suspected: Counter[str] = Counter()
        self._gains: defaultdict[str, list[float]] = defaultdict(list)
        steps = {step.id: step for step in observation.shown}
        for step in steps.values():
            parent = steps.get(step.parent) if step.parent is not None else None
            if parent is not None and step.tags and knows(step.tags):
                self._learn(step, parent, parent.tags if knows(parent.tags) else ())

    def _learn(self, step: Step, parent: Step, before: tuple[str, ...]) -> None:
        if step.evaluation.status is Status.INFRASTRUCTURE:
            return
        added = list((Counter(step.tags) - Counter(before)).elements())
        removed = list((Counter(before) - Counter(step.tags)).elements())
        alone = len(added) + len(removed) == 1 and parent.reward > 0
        if not step.evaluation.ok:
            self._suspected.update(added)
            if alone:
                self._failed.update(added)
            return
        self._cleared.update(step.tags)
        if alone and step.reward > 0:
            gain = step.reward / parent.reward
            for tag in added:
                self._gains[tag].append(gain)
            for tag in removed:
                self._gains[tag].append(1 / gain)

    def failed(self, tag: str) -> bool:
        """Whether a program that passed did not pass with the tag added."""
        return tag in self._failed

    def factor(self, tag: str) -> float:
        """What the tag's weight is to be multiplied by after what was seen, above 0."""
        doubt = 0.5 ** self._suspected[tag] if self.suspect(tag) else 1.0
        return doubt * min(self._gain(tag), _MOST) ** 2

    def gains(self, tag: str) -> bool:
        """Whether the tag alone made programs faster."""
        return self._gain(tag) > 1 + _NOISE

    def suspect(self, tag: str) -> bool:
        """Whether the tag was in programs that failed and in none that passed."""
        return self._suspected[tag] > 0 and tag not in self._cleared

    def sound(self, tag: str) -> bool:
        """Whether nothing speaks against the tag."""
        harmless = self._gain(tag) > 1 - _NOISE
        return harmless and not self.failed(tag) and not self.suspect(tag)

    def _gain(self, tag: str) -> float:
        """By how much the tag alone multiplied the speed, as the median of what was seen, or 1."""
        return median(self._gains[tag]) if tag in self._gains else 1.0
