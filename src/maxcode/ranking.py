"""Choosing candidates by estimates, and how well estimates agreed with outcomes so far."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb, inf, sqrt
from random import Random

from maxcode.tree import Step

_LEVEL = 1.96  # standard deviations that chance keeps within in 95 of 100 cases


@dataclass(frozen=True, slots=True)
class Choice:
    """Candidates to run, and the subset drawn whatever their estimate."""

    run: tuple[int, ...]
    explored: tuple[int, ...]


def choose(estimates: Sequence[float], n: int, share: float, rng: Random) -> Choice:
    """``n`` of the candidates, by index and in ascending order.

    With chance ``share`` a place goes to a random candidate, else to the highest estimate, the
    earlier of equals. Where all are run, all count as drawn.
    """
    everyone = range(len(estimates))
    if n >= len(estimates):
        return Choice(tuple(everyone), tuple(everyone))
    places = sum(rng.random() < share for _ in range(n))
    drawn = set(rng.sample(everyone, places))
    others = [i for i in everyone if i not in drawn]
    best = sorted(others, key=lambda i: -estimates[i])[: n - places]
    return Choice(tuple(sorted([*drawn, *best])), tuple(sorted(drawn)))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far estimates order the candidates of a state as their outcomes do.

    Only candidates of one state are compared. ``score`` is the sum of Kendall's S over states,
    ``most`` its value in perfect order, and ``variance`` its variance if estimates were random
    (Hirsch, Slack and Smith, "Techniques of trend analysis for monthly water quality data", 1982,
    with Kendall's correction for ties). Running only some candidates, by their estimates, does not
    disturb it.
    """

    score: float = 0.0
    most: float = 0.0
    variance: float = 0.0

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(
            self.score + other.score, self.most + other.most, self.variance + other.variance
        )

    def plus(self, estimates: Sequence[float], outcomes: Sequence[float]) -> Agreement:
        """Agreement with the candidates of a further state."""
        pairs = list(zip(estimates, outcomes, strict=True))
        score = sum(
            _sign(a[0] - b[0]) * _sign(a[1] - b[1])
            for i, a in enumerate(pairs)
            for b in pairs[i + 1 :]
        )
        ties = [_ties(side) for side in (estimates, outcomes)]
        n = len(pairs)
        free = [n * (n - 1) / 2 - sum(t * (t - 1) / 2 for t in tied) for tied in ties]
        return Agreement(
            self.score + score,
            self.most + sqrt(free[0] * free[1]),
            self.variance + _variance(n, *ties),
        )

    @property
    def tau(self) -> float:
        """Kendall's tau-b over all states: 1 for the same order, 0 for none, -1 for the reverse."""
        return self.score / self.most if self.most else 0.0

    @property
    def chance(self) -> float:
        """How far from 0 chance alone takes tau, in 95 of 100 cases; endless if nothing is known.

        It is 1.96 standard deviations of tau without any relation. With few pairs it is above 1:
        then no tau is significant.
        """
        return _LEVEL * sqrt(self.variance) / self.most if self.variance and self.most else inf

    @property
    def believed(self) -> bool:
        """Whether tau is higher than chance alone takes it."""
        return self.tau > self.chance


def _sign(x: float) -> int:
    return (x > 0) - (x < 0)


def _ties(values: Iterable[float]) -> list[int]:
    return list(Counter(values).values())


def _variance(n: int, first: Sequence[int], second: Sequence[int]) -> float:
    """The variance of Kendall's S without relation (Kendall, Rank correlation methods, 1970)."""
    if n < 2:
        return 0.0

    within = [sum(t * (t - 1) * (2 * t + 5) for t in tied) for tied in (first, second)]
    variance = (n * (n - 1) * (2 * n + 5) - sum(within)) / 18
    twos = [sum(t * (t - 1) for t in tied) for tied in (first, second)]
    variance += twos[0] * twos[1] / (2 * n * (n - 1))
    if n > 2:
        threes = [sum(t * (t - 1) * (t - 2) for t in tied) for tied in (first, second)]
        variance += threes[0] * threes[1] / (9 * n * (n - 1) * (n - 2))
    return variance


_LATEST = 64  # candidates of a state that are compared: pairs grow with the square


class Estimates:
    """Estimates beside the outcomes of the candidates, state by state; how long they took.

    A state is the step grown from, in however many expansions. Of its candidates the latest 64
    count.
    """

    def __init__(self) -> None:
        self.rankings = 0
        self.seconds = 0.0
        self.slowest = 0.0
        self._judged: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
        self._agreements: dict[int, Agreement] = {}

    @property
    def agreement(self) -> Agreement:
        """How far estimates order candidates as their rewards do."""
        return sum(self._agreements.values(), Agreement())

    @property
    def pairs(self) -> int:
        """How many pairs of candidates were compared."""
        return sum(comb(len(judged), 2) for judged in self._judged.values())

    def took(self, seconds: float) -> None:
        """Note how long the candidates of an expansion took to estimate."""
        self.rankings += 1
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)

    def note(self, parent: int, steps: Iterable[Step]) -> None:
        """Note the outcomes of the steps grown from a parent."""
        found = [
            (step.value.expected, step.reward)
            for step in steps
            if step.value is not None and step.cost.evaluations
        ]
        if found:
            judged = self._judged[parent] = [*self._judged[parent], *found][-_LATEST:]
            self._agreements[parent] = Agreement().plus(*zip(*judged, strict=True))
