"""Tuning spaces of real GPU kernels, with every setting built and timed.

The tables are those of the FAIR Benchmark Hub for Auto-Tuning (https://doi.org/10.5281/
zenodo.15364124, MIT licence), made with Kernel Tuner for M. Lurati, S. Heldens, A. Sclocco and B.
van Werkhoven, "Bringing auto-tuning to HIP: analysis of tuning impact and difficulty on AMD and
Nvidia GPUs", Euro-Par 2024: mean times, to four digits.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from random import Random

from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.landscape.terrain import Point, Space

_FAILED = {-1: Status.BUILD_ERROR, -2: Status.RUNTIME_ERROR}
"""Mark in a table for a setting that does not compile, or fails when it runs; settings excluded
by the kernel's restrictions do not compile either."""

_SUFFIX = ".json.gz"
_TABLES = Path(__file__).with_name("tables")


@dataclass(frozen=True)
class _Recording:
    """A kernel's settings and their times; the last of ``parameters`` changes fastest."""

    kernel: str
    device: str
    source: str
    parameters: dict[str, list[int]]
    milliseconds: list[float]

    @cached_property
    def times(self) -> dict[Point, float]:
        """The milliseconds of each setting."""
        settings = product(*(range(len(values)) for values in self.parameters.values()))
        return dict(zip(settings, self.milliseconds, strict=True))

    @cached_property
    def correct(self) -> list[Point]:
        """The working settings, fastest first."""
        working = (point for point, time in self.times.items() if time > 0)
        return sorted(working, key=self.times.__getitem__)


@cache
def _recording(name: str) -> _Recording:
    if name not in recordings():
        raise InputError(f"no kernel {name!r} was recorded; known: {', '.join(recordings())}")
    packed = (_TABLES / f"{name}{_SUFFIX}").read_bytes()
    return _Recording(**json.loads(gzip.decompress(packed)))


@cache
def recordings() -> tuple[str, ...]:
    """The names of the recordings."""
    return tuple(sorted(path.name.removesuffix(_SUFFIX) for path in _TABLES.glob(f"*{_SUFFIX}")))


@dataclass(frozen=True)
class Tuning(Space):
    """The settings of a real kernel on a real GPU: sites are its parameters, choices their
    values.

    ``kernel`` is in :func:`recordings`. The baseline is drawn by ``seed`` from the slower half of
    the working settings. Speedups are ratios of recorded times; ``noise`` is added to scores.
    """

    kind = "tuning"

    kernel: str = "convolution-a100"
    seed: int = 0
    noise: float = 0.02

    def __post_init__(self) -> None:
        if not 0 <= self.noise <= 0.5:
            raise InputError(f"tuning: noise must lie in [0, 0.5], not at {self.noise}")
        self._recording  # noqa: B018 - raises for an unknown one

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each parameter."""
        return tuple(map(len, self._recording.parameters.values()))

    @property
    def statement(self) -> str:
        """The task, in words."""
        named = "; ".join(
            f"site {site} is {name}, choices {', '.join(map(str, values))}"
            for site, (name, values) in enumerate(self._recording.parameters.items())
        )
        return (
            f"Find the fastest setting of a {self._recording.kernel} kernel on an "
            f"{self._recording.device}: {named}. Times were recorded: nothing is computed."
        )

    @cached_property
    def origin(self) -> Point:
        """The baseline's point."""
        slower = self._recording.correct[len(self._recording.correct) // 2 :]
        return Random(f"tuning {self.seed}").choice(slower)

    @property
    def peak(self) -> Point:
        """The fastest setting."""
        return self._recording.correct[0]

    def speedup(self, point: Point) -> float:
        """The recorded time of the origin over that of a point; 1 for a failing point."""
        time = self._recording.times[point]
        return self._recording.times[self.origin] / time if time > 0 else 1.0

    def failure(self, point: Point) -> tuple[int | None, Status] | None:
        """How a setting fails."""
        time = self._recording.times[point]
        return None if time > 0 else (None, _FAILED[int(time)])

    @property
    def _recording(self) -> _Recording:
        return _recording(self.kernel)
