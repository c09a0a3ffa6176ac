"""Terrain: the NK model, with failing choices and a known highest point.

S. A. Kauffman and S. Levin, "Towards a general theory of adaptive walks on rugged landscapes",
Journal of Theoretical Biology 128, 1987; E. Weinberger, "Correlated and uncorrelated fitness
landscapes and how to tell the difference", Biological Cybernetics 63, 1990.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from itertools import count, product
from math import exp, log, sqrt
from random import Random
from typing import ClassVar

from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.program import Program
from maxcode.task import Task

Point = tuple[int, ...]
"""The choice made at each site; the baseline chooses 0 everywhere."""

Move = tuple[int, int]
"""A site, and the choice there."""

_FAILURES = (Status.BUILD_ERROR, Status.WRONG_ANSWER, Status.RUNTIME_ERROR, Status.TIMEOUT)
_MAX_CELLS = 1_000_000  # of all tables together, some hundred megabytes
_SHARES = {"ruggedness": 1.0, "failures": 0.9, "noise": 0.5, "kinship": 1.0}  # and their most


@dataclass(frozen=True)
class Space(ABC):
    """A function of points: the true speedup of each over the origin, unless it fails.

    ``str`` gives its name as a task, as on the command line: ``kind`` and the unusual options.
    """

    kind: ClassVar[str]

    def __str__(self) -> str:
        own = {f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default}
        options = ",".join(f"{name}={value}" for name, value in own.items())
        return f"{self.kind}:{options}" if options else self.kind

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The number of choices at each site."""

    @property
    @abstractmethod
    def noise(self) -> float:
        """The relative standard deviation of a score."""

    @property
    @abstractmethod
    def statement(self) -> str:
        """The task, in words."""

    @property
    @abstractmethod
    def origin(self) -> Point:
        """The baseline's point, which does not fail."""

    @property
    @abstractmethod
    def peak(self) -> Point:
        """The point with the highest speedup of all passing points."""

    @abstractmethod
    def speedup(self, point: Point) -> float:
        """The true speedup of a point over the origin, leaving aside whether it fails."""

    @abstractmethod
    def failure(self, point: Point) -> tuple[int | None, Status] | None:
        """How a point fails, and the site at fault, if any; None if it passes."""

    def gains(self, point: Point, site: int) -> dict[int, float]:
        """Factors of the true speedup for each other choice at a site, alone.

        Without choices that fail there.
        """
        here, found = self.speedup(point), {}
        for choice in range(self.shape[site]):
            other = (*point[:site], choice, *point[site + 1 :])
            failure = self.failure(other)
            if choice != point[site] and (failure is None or failure[0] not in (None, site)):
                found[choice] = self.speedup(other) / here
        return found


@dataclass(frozen=True)
class _Ground:
    """Drawn values. ``tables[i]`` gives site ``i``'s contribution by the window it begins."""

    tables: Sequence[Mapping[Point, float]]
    broken: Mapping[Move, Status]


@dataclass(frozen=True)
class Terrain(Space):
    """A function of points, drawn from ``seed``: their speedups over the baseline.

    The height of a point x is a sum over its sites, and speedups are exponential in it::

        F(x) = sum_i  sqrt(1 - ruggedness) a_i(x_i)  +  sqrt(ruggedness) e_i(x_i, ..., x_{i+K})
        speedup(x) = optimum ^ (F(x) / F*)

    where all ``a_i`` and ``e_i`` are standard normal, but 0 where only the baseline's choices go
    in, K is ``interactions``, choices behind the last site count as 0, and F* is the highest of
    all points that do not fail.

    * ``size``: number of sites, N; ``choices``: how many there are at each
    * ``interactions``: number of sites behind a site that it interacts with, K
    * ``ruggedness``: share of the variance that interactions have, in [0, 1]
    * ``optimum``: speedup of the best point, above 1
    * ``failures``: chance that a choice, other than the baseline's, always fails, in [0, 0.9]
    * ``noise``: relative standard deviation of a score, in [0, 0.5]
    * ``kinship``: share of the variance drawn from ``family`` instead of ``seed``, and so common to
      all terrains of a family, in [0, 1]
    """

    kind = "landscape"

    seed: int = 0
    size: int = 24
    choices: int = 4
    interactions: int = 2
    ruggedness: float = 0.5
    optimum: float = 10.0
    failures: float = 0.2
    noise: float = 0.02
    kinship: float = 0.0
    family: int = 0

    def __post_init__(self) -> None:
        for name, least in {"size": 2, "choices": 2, "interactions": 0}.items():
            if getattr(self, name) < least:
                raise InputError(f"landscape: {name} must be at least {least}")
        for name, most in _SHARES.items():
            if not 0 <= getattr(self, name) <= most:
                raise InputError(
                    f"landscape: {name} must lie in [0, {most:g}], not at {getattr(self, name)}"
                )
        if not 1 < self.optimum < float("inf"):
            raise InputError(f"landscape: optimum is a speedup above 1, not {self.optimum}")
        if self.interactions >= self.size:
            raise InputError("landscape: interactions must be fewer than size")
        if self.size * self.choices ** (self.interactions + 1) > _MAX_CELLS:
            raise InputError(
                "landscape: size * choices^(interactions + 1) may be "
                f"{_MAX_CELLS:,} at the most; take fewer interactions or choices"
            )

    @property
    def statement(self) -> str:
        """The task, in words."""
        return (
            f"Find the best of the {self.choices} choices (0 to {self.choices - 1}) at each "
            f"of {self.size} sites. Each site interacts with the {self.interactions} behind "
            "it. This is a simulation: nothing is computed."
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of choices at each site, everywhere the same."""
        return (self.choices,) * self.size

    @property
    def origin(self) -> Point:
        """The baseline's point."""
        return (0,) * self.size

    def speedup(self, point: Point) -> float:
        """The true speedup of a point over the origin, leaving aside whether it fails."""
        padded, width = self._padded(point), self.interactions + 1
        height = sum(table[padded[i : i + width]] for i, table in enumerate(self._ground.tables))
        return exp(height * self._scale)

    def failure(self, point: Point) -> tuple[int, Status] | None:
        """The first site whose choice makes the point fail, and how; None if it does not."""
        broken = self._ground.broken
        return next(((i, broken[i, c]) for i, c in enumerate(point) if (i, c) in broken), None)

    @property
    def peak(self) -> Point:
        """The point with the highest speedup, ``optimum``, of all passing points."""
        return self._drawn[2]

    @cached_property
    def _ground(self) -> _Ground:
        return self._drawn[0]

    @cached_property
    def _scale(self) -> float:
        return log(self.optimum) / self._drawn[1]

    @cached_property
    def _drawn(self) -> tuple[_Ground, float, Point]:
        """The ground, and its peak's height and place; drawn again if the origin is the peak."""
        for n in count():
            ground = self._draw(Random(f"{self.seed}:{n}"), Random(f"family {self.family}:{n}"))
            height, peak = self._climb(ground)
            if height > 0:
                return ground, height, peak
        raise AssertionError("there is always another draw")

    def _draw(self, own: Random, common: Random) -> _Ground:
        additive, epistatic = sqrt(1 - self.ruggedness), sqrt(self.ruggedness)

        def normal() -> float:
            drawn = sqrt(1 - self.kinship) * own.gauss()
            return drawn + sqrt(self.kinship) * common.gauss() if self.kinship else drawn

        tables = []
        broken = {}
        for site in range(self.size):
            alone = [0.0, *(normal() for _ in range(1, self.choices))]
            table = {
                window: additive * alone[window[0]] + epistatic * normal()
                for window in product(range(self.choices), repeat=self.interactions + 1)
            }
            table[(0,) * (self.interactions + 1)] = 0.0
            tables.append(table)
            for choice in range(1, self.choices):
                drawn = [(rng.random(), rng.choice(_FAILURES)) for rng in (own, common)]
                chance, status = drawn[own.random() < self.kinship]
                if chance < self.failures:
                    broken[site, choice] = status
        return _Ground(tables, broken)

    def _climb(self, ground: _Ground) -> tuple[float, Point]:
        """The highest passing point, and its height, by dynamic programming.

        It is quick because sites interact with their neighbours only: A. H. Wright, R. K. Thompson
        and J. Zhang, "The computational complexity of N-K fitness functions", IEEE Transactions on
        Evolutionary Computation 4(4), 2000.
        """
        best: dict[Point, tuple[float, Point]] = {(0,) * self.interactions: (0.0, ())}
        for site in reversed(range(self.size)):
            behind, best = best, {}
            for window, (height, rest) in behind.items():
                for choice in range(self.choices):
                    if (site, choice) in ground.broken:
                        continue
                    whole = (choice, *window)
                    found = (height + ground.tables[site][whole], (choice, *rest))
                    known = best.get(whole[:-1])
                    if known is None or found[0] > known[0]:
                        best[whole[:-1]] = found
        return max(best.values())

    def _padded(self, point: Point) -> Point:
        return point + (0,) * self.interactions


ENTRY = "point.txt"

_LINE = re.compile(r"site (\d+): choice (\d+)")
_SITE = re.compile(r"\bsite (\d+)\b")


@dataclass(frozen=True)
class Landscape(Task):
    """A simulated task: make :meth:`Space.speedup` large.

    A program is a text with a line ``site 3: choice 1`` for each site, in order; lines beginning
    with ``//`` say nothing. See docs/manual/landscape.md.
    """

    executor: ClassVar[str] = "landscape"

    terrain: Space = field(default_factory=Terrain)

    @classmethod
    def on(cls, terrain: Space) -> Landscape:
        """The task of climbing a terrain from its origin."""
        baseline = Program.of(_text(terrain.origin), ENTRY)
        return cls(str(terrain), terrain.statement, baseline, terrain=terrain)

    def content(self) -> Iterator[bytes]:
        """The parts of the digest."""
        yield from super().content()
        yield repr(self.terrain).encode()

    def write(self, point: Point) -> Program:
        """The program of a point."""
        return self.baseline.with_code(_text(point))

    def read(self, program: Program) -> Point:
        """The point of a program. Raises :class:`InputError` with the line of a mistake."""
        return _read(program.code, program.entry, self.terrain.shape)

    def sites_in(self, text: str) -> set[int]:
        """The sites named in a text, as in "change site 3"."""
        named = {int(number) for number in _SITE.findall(text)}
        return {site for site in named if site < len(self.terrain.shape)}

    def failure(self, program: Program) -> tuple[Status, str] | None:
        """How a program fails, as a compiler or a test would say; None if it passes.

        Only the compiler names the place.
        """
        try:
            failure = self.terrain.failure(self.read(program))
        except InputError as error:
            return Status.BUILD_ERROR, str(error)
        if failure is None:
            return None
        site, status = failure
        if status is Status.BUILD_ERROR:
            wrong = "these choices do not go together"
            if site is not None:
                wrong = f"site {site} does not go with its choice"
            return status, f"{program.entry}: error: {wrong}"
        return status, f"test 1: {status.value.replace('_', ' ')}"

    def speedup(self, program: Program) -> float:
        """The true speedup of a program over the baseline, without noise; 0.0 if it fails."""
        return 0.0 if self.failure(program) else self._speed(program) / self._baseline_speed

    def _speed(self, program: Program) -> float:
        return self.terrain.speedup(self.read(program))

    @cached_property
    def _baseline_speed(self) -> float:
        return self._speed(self.baseline)


def _text(point: Point) -> str:
    return "".join(f"site {site}: choice {choice}\n" for site, choice in enumerate(point))


@lru_cache(maxsize=1 << 14)
def _read(code: str, entry: str, shape: tuple[int, ...]) -> Point:
    """The point in a text, given the number of choices at each site."""
    lines = [(n, line) for n, line in enumerate(code.splitlines(), 1) if line[:2] not in ("", "//")]
    point = []
    for site, choices in enumerate(shape):
        number, line = lines[site] if site < len(lines) else (len(code.splitlines()) + 1, "")
        found = _LINE.fullmatch(line)
        if not found or int(found[1]) != site or int(found[2]) >= choices:
            expected = f"'site {site}: choice 0' to '... {choices - 1}'"
            raise InputError(f"{entry}:{number}: error: expected {expected}")
        point.append(int(found[2]))
    if len(lines) > len(shape):
        raise InputError(f"{entry}:{lines[len(shape)][0]}: error: expected the end")
    return tuple(point)
