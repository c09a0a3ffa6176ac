"""Draws: random layouts and inputs for each round of a confirmation.

Each program has a new layout in every round, so the ratio averages over layouts. Some rounds have
fresh inputs in place of the tests': results kept from earlier runs do not answer them. They come
after the first rounds, since making them takes longer than to see that a program is no faster.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import log, sqrt
from pathlib import Path
from random import Random
from statistics import fmean, median
from time import monotonic

from maxcode.errors import InputError, ToolError
from maxcode.evaluation import Drawn, Interval, Status
from maxcode.executors.program.further import FurtherInputs
from maxcode.executors.program.runner import ProgramFailedError
from maxcode.measure.rounds import bounds
from maxcode.program import Program
from maxcode.tasks.program import ProgramTask
from maxcode.toolchain.base import Toolchain
from maxcode.toolchain.compiler import Compiling
from maxcode.toolchain.gxx import Gxx
from maxcode.toolchain.layouts import Layouts

_SHARE = 0.3  # of the time that is spent on timing, for making inputs
_FREE = 1.0  # second of making in any case
_ENOUGH = 8  # rounds on inputs of their own
_MOST = 8 << 20  # bytes of inputs for a round: 4 s of making
_FAILURES = 2  # rounds without, though wanted, after which none have
_FEWEST = 3  # rounds on inputs of their own that tell something
_AGAIN = 8  # layouts at the most that are timed once more
_AGREE = 0.99  # the level of intervals that are held against one another


@contextmanager
def relinked(
    toolchain: Toolchain,
    task: ProgramTask,
    programs: Sequence[Program],
    folder: Path,
    rng: Random,
    processors: tuple[int, ...],
) -> Iterator[tuple[Sequence[Layouts], str]]:
    """Layouts of programs, in ``folder``, and a note; no layouts if one cannot be relinked."""
    if not isinstance(toolchain, Gxx):
        yield (), ""
        return
    how = Compiling(task.judging.build_timeout, processors)
    flags = task.judging.flags
    with tempfile.TemporaryDirectory(prefix="layouts-", dir=folder) as own:
        Path(own).chmod(0o755)
        places = [Path(own, str(number)) for number in range(len(programs))]
        try:
            made = [
                toolchain.layouts(program, flags, place, rng, how)
                for program, place in zip(programs, places, strict=True)
            ]
        except ToolError as error:
            yield (), f"in one layout each: {error}"
        else:
            yield made, ""


class Draws:
    """Draws for the rounds of a comparison.

    ``layouts`` are those of both programs, or empty; ``further`` makes inputs, after the first
    ``given`` rounds, None for the tests' only. ``note`` is the reason if layouts are missing.
    """

    def __init__(
        self,
        task: ProgramTask,
        layouts: Sequence[Layouts],
        further: FurtherInputs | None,
        given: int,
        rng: Random,
        note: str = "",
    ) -> None:
        self._task = task
        self._rng = rng
        self._further = further
        self._given = given
        self._notes = [note] if note else []
        self._layouts = layouts
        self._executables: tuple[list[Path], list[Path]] = ([], [])
        self._inputs: list[int] = []  # how many each round had of its own
        self._failures = 0
        self._current: ProgramTask | None = None  # with those of the last round
        self._making = self._linking = 0.0  # seconds
        self._began = monotonic()

    def executable(self, side: int) -> Path | None:
        """An executable for a program's next round; None for the usual."""
        if not self._layouts:
            return None
        began = monotonic()
        drawn = self._layouts[side].draw()
        self._linking += monotonic() - began
        self._executables[side].append(drawn)
        return drawn

    def inputs(self, number: int, passes: int) -> ProgramTask | None:
        """The task with fresh inputs for a round, for each test and pass; None for its tests."""
        if number == len(self._inputs):
            self._current = self._made(passes)
            self._inputs.append(len(self._current.tests) if self._current else 0)
        return self._current

    def _made(self, passes: int) -> ProgramTask | None:
        if self._further is None:
            return None
        size = passes * sum(len(test.input) for test in self._task.tests)
        if size > _MOST:
            self._stop(f"they would have {size >> 20} MiB for each round")
            return None
        began = monotonic()
        timing = began - self._began - self._making - self._linking
        enough = sum(map(bool, self._inputs)) == _ENOUGH
        late = self._making > max(_FREE, _SHARE * timing)
        if enough or late or len(self._inputs) < self._given:
            return None
        try:
            made, problem = self._further.fresh(passes)
            self._failures += made is None
        except InputError as error:
            made, problem, self._failures = None, str(error), _FAILURES
        self._making += monotonic() - began
        if self._failures == _FAILURES:
            self._stop(problem)
        return made

    def _stop(self, why: str) -> None:
        self._notes.append(f"on the tests' own inputs alone: {why}")
        self._further = None

    def raise_failure(self, program: Program, failed: ProgramFailedError) -> None:
        """Raise for a program that failed in a round, unless its fresh inputs were at fault."""
        if self._current is None or self._further is None:
            raise failed
        found = self._further.differing(self._current, program)
        if found.counterexample is not None:
            wrong = ProgramFailedError(Status.WRONG_ANSWER, found.problem)
            wrong.program, wrong.found = program, found
            raise wrong from failed

    def again(self, first: Sequence[float]) -> list[tuple[Path, float]]:
        """Some executables of the first program, in random order, with their earlier readings."""
        given = [n for n, made in enumerate(self._inputs) if not made]
        if not self._layouts or len(given) < _FEWEST:
            return []
        chosen = self._rng.sample(given, min(_AGAIN, len(given)))
        return [(self._executables[0][n], first[n]) for n in chosen]

    def result(
        self,
        first: Sequence[float],
        second: Sequence[float],
        ratio: Interval,
        again: Sequence[tuple[float, float]] = (),
    ) -> tuple[Interval, Drawn]:
        """The decisive ratio, and a summary of the draws.

        ``first`` and ``second`` are readings of the rounds and ``ratio`` is their overall ratio. If
        fresh inputs show a lower ratio than the tests, it alone decides. ``again`` are two readings
        each of some layouts.
        """
        own = [n for n, made in enumerate(self._inputs) if made]
        given = [n for n, made in enumerate(self._inputs) if not made]
        if self._further is not None and len(own) < _FEWEST and len(first) > self._given:
            self._notes.append("on the tests' own inputs alone: others take too long to make")
        drawn = Drawn(
            layouts=len(self._executables[0]),
            spread=_spread(again),
            inputs=sum(self._inputs),
            fresh=_of(own, first, second, _AGREE),
            given=_of(given, first, second, _AGREE),
            note="; ".join(dict.fromkeys(self._notes)),
        )
        lower = _of(own, first, second, ratio.level) if drawn.disagrees else None
        return lower or ratio, drawn


def _of(
    rounds: Sequence[int], first: Sequence[float], second: Sequence[float], level: float
) -> Interval | None:
    """The ratio in some of the rounds; None if they are too few."""
    if len(rounds) < _FEWEST:
        return None
    return bounds([second[n] for n in rounds], [first[n] for n in rounds], level)


def _spread(again: Sequence[tuple[float, float]]) -> float | None:
    """Relative spread of layouts: the standard deviation shared by two visits.

    Changes between two visits of a layout, made in different order, are noise.
    """
    if not again:
        return None
    before, after = ([log(one) for one in side] for side in zip(*again, strict=True))
    middle = median(before), median(after)
    common = fmean((a - middle[0]) * (b - middle[1]) for a, b in zip(before, after, strict=True))
    return sqrt(max(common, 0.0))
