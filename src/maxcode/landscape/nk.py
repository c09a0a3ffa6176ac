"""The NK model as it was published, with binary sites and neighbours drawn at random.

S. A. Kauffman and S. Levin, "Towards a general theory of adaptive walks on rugged landscapes",
Journal of Theoretical Biology 128, 1987; S. A. Kauffman and E. D. Weinberger, "The NK model of
rugged fitness landscapes and its application to maturation of the immune response", Journal of
Theoretical Biology 141, 1989.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count
from random import Random
from typing import TYPE_CHECKING

from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.landscape.terrain import Point, Space

if TYPE_CHECKING:  # it takes a while to import
    from maxcode.measure.statistics import Floats

_MOST_SITES = 20  # every point is looked at, to find the highest


@dataclass(frozen=True)
class NK(Space):
    """The NK model: ``k`` is its ruggedness, from 0, a single peak, to ``n - 1``, a random
    landscape.

    Each of ``n`` sites holds 0 or 1 and contributes a number from [0, 1), drawn anew for each
    setting of it and of ``k`` other sites, which are drawn at random. The fitness of a point is the
    mean contribution F, and speedups are exponential in it, from 1 at the origin to ``optimum`` at
    the highest point: ``speedup(x) = optimum ^ ((F(x) - F(0)) / (F* - F(0)))``.

    No point fails. ``noise`` is the relative standard deviation of a score.
    """

    seed: int = 0
    n: int = 16
    k: int = 4
    optimum: float = 10.0
    noise: float = 0.02

    def __post_init__(self) -> None:
        if not 2 <= self.n <= _MOST_SITES or not 0 <= self.k < self.n:
            raise InputError(
                f"nk: n lies in 2 to {_MOST_SITES} and k in 0 to n - 1, not at {self.n}, {self.k}"
            )
        if not 1 < self.optimum < float("inf") or not 0 <= self.noise <= 0.5:
            raise InputError(
                "nk: optimum is a speedup above 1 and noise lies in [0, 0.5], not at "
                f"{self.optimum} and {self.noise}"
            )

    def __str__(self) -> str:
        return self.named("nk")

    @property
    def size(self) -> int:
        """The number of sites."""
        return self.n

    @property
    def statement(self) -> str:
        """The task, in words."""
        return (
            f"Find the best of the choices 0 and 1 at each of {self.n} sites. Each site interacts "
            f"with {self.k} others. This is a simulation: nothing is computed."
        )

    @property
    def origin(self) -> Point:
        """The baseline's point."""
        return (0,) * self.n

    @property
    def peak(self) -> Point:
        """The point with the highest speedup, found by looking at all."""
        best = int(self._heights.argmax())
        return tuple(best >> site & 1 for site in range(self.n))

    def choices_at(self, site: int) -> int:  # noqa: ARG002 - everywhere two
        """How many choices there are at a site."""
        return 2

    def speedup(self, point: Point) -> float:
        """The true speedup of a point over the origin."""
        number = sum(bit << site for site, bit in enumerate(point))
        return float(self.optimum ** float(self._heights[number]))

    def failure(self, point: Point) -> tuple[int | None, Status] | None:  # noqa: ARG002
        """None: no point fails."""
        return None

    @cached_property
    def _heights(self) -> Floats:
        """Of every point, by the number whose bits its choices are: 0 at the origin, 1 at the peak.

        Drawn again where the origin is the peak.
        """
        drawn = (self._draw(Random(f"nk {self.seed}:{number}")) for number in count())
        fitness = next(one for one in drawn if one.argmax() > 0)
        heights: Floats = (fitness - fitness[0]) / (fitness.max() - fitness[0])
        return heights

    def _draw(self, rng: Random) -> Floats:
        import numpy as np  # noqa: PLC0415 - it takes a while

        points = np.arange(2**self.n)
        fitness = np.zeros(len(points))
        for site in range(self.n):
            others = rng.sample([other for other in range(self.n) if other != site], self.k)
            table = np.array([rng.random() for _ in range(2 ** (self.k + 1))])
            setting = points >> site & 1
            for place, other in enumerate(others, 1):
                setting |= (points >> other & 1) << place
            fitness += table[setting]
        mean: Floats = fitness / self.n
        return mean
