"""Effi-Learner's metrics of any run: time, peak memory and memory over time, before and after.

D. Huang et al., "EffiLearner: Enhancing Efficiency of Generated Code via Self-Optimization" (arXiv
2405.15189), measure of each program how long it takes (ET), its peak memory (MU) and the integral
of its memory over time (TMU), and divide each by a reference program's (NET, NMU, NTMU). The paper
takes the mean over tasks of each task's ratio, its scripts (src/code_efficiency_calculator.py,
src/calculate_memory_usage.py) divide the totals. The first weighs tasks alike, in the second the
costly tasks decide; both are given here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from maxcode.evaluation import Measurement
from maxcode.journal.events import Compared
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.measure.statistics import Bootstrap, Estimate
from maxcode.search.result import Result
from maxcode.tree import ROOT

Clock = Literal["cpu", "wall"]
"""A meter of time."""

Samples = Literal["comparison", "score", "apart", "baseline"]
"""Where the samples of a run's two programs come from.

* ``comparison``: the two were measured in turn, with fresh samples
* ``score``: in turn, when the program was scored; a search picks high scores, so these flatter it
* ``apart``: the program when it was scored against another, the baseline at the start of the run
* ``baseline``: the run returns the baseline, and its samples stand for both
"""


_MIN_USE = {"cpu": 1e-6, "wall": 1e-6, "peak_memory": 1, "memory_integral": 1e-6}
"""Readings of meters where nothing was used."""


@dataclass(frozen=True)
class Overhead:
    """Time and memory of a pass of a program over all tests of its task, or of a kernel's call.

    Medians of samples; None: not measured, or too little to differ from nothing. Times are in
    seconds, the peak in bytes and the integral in MB*s, a MB being 10^6 bytes. A program is run
    once for each test: times and integrals add up, and the peak is the highest.
    """

    cpu_seconds: float | None = None
    wall_seconds: float | None = None
    peak_bytes: float | None = None
    integral_mb_s: float | None = None

    @classmethod
    def of(cls, measurements: Iterable[Measurement]) -> Overhead:
        """Overhead from a program's samples; of several with one meter the first counts."""
        found: dict[str, float] = {}
        for one in measurements:
            found.setdefault(one.meter, one.median)
        known = {name: value for name, value in found.items() if value > _MIN_USE.get(name, 0)}
        return cls(*map(known.get, ("cpu", "wall", "peak_memory", "memory_integral")))

    def seconds(self, clock: Clock) -> float | None:
        """Time by this clock."""
        return self.cpu_seconds if clock == "cpu" else self.wall_seconds


@dataclass(frozen=True)
class RunOverhead:
    """Time and memory of the program a run returns, and of its baseline.

    ``meter`` names the meter of the run's speedups.
    """

    task: str
    meter: str
    samples: Samples
    program: Overhead
    baseline: Overhead

    @property
    def clock(self) -> Clock:
        """The run's own clock: its meter if it is a clock, else processor time."""
        return "wall" if self.meter == "wall" else "cpu"


@dataclass(frozen=True)
class OverheadFigures:
    """One kind of overhead over runs, each task counting once however many runs it has.

    With p the overhead of a run's program and b the overhead of its baseline:

    * ``program``, ``baseline``: the mean of p (ET, MU or TMU) and of b
    * ``mean_of_ratios``: the mean of p / b (NET, NMU or NTMU) as the paper has it, with an interval
      for other tasks like these
    * ``ratio_of_totals``: the sum of p over the sum of b, as the paper's scripts have it
    * ``runs``: number of runs with both known, behind the figures; ``missing`` counts the others
    """

    program: float
    baseline: float
    mean_of_ratios: Estimate
    ratio_of_totals: float
    runs: int
    missing: int


@dataclass(frozen=True)
class Efficiency:
    """Effi-Learner's six figures; each pair is None where no run has it.

    ``time`` is ET and NET in seconds, ``peak_memory`` MU and NMU in bytes, ``memory_integral`` TMU
    and NTMU in MB*s.
    """

    time: OverheadFigures | None
    peak_memory: OverheadFigures | None
    memory_integral: OverheadFigures | None


def overhead_of(result: Result, comparisons: Iterable[Compared]) -> RunOverhead:
    """Overhead of a run's result. ``comparisons`` are the run's, in their order.

    The last comparison of this very program with the baseline is preferred to the search's own
    samples.
    """
    samples, program, baseline = samples_of(result, comparisons)
    meter = result.baseline.measurements[0].meter
    return RunOverhead(result.task, meter, samples, Overhead.of(program), Overhead.of(baseline))


def samples_of(
    result: Result, comparisons: Iterable[Compared]
) -> tuple[Samples, tuple[Measurement, ...], tuple[Measurement, ...]]:
    """Measurements of a run's result and of its baseline, and their origin.

    ``comparisons`` as for :func:`overhead_of`.
    """
    best, start = result.best, result.baseline.measurements
    compared = [
        event.comparison
        for event in comparisons
        if (event.step, event.against) == (best.id, ROOT) and event.comparison.ratio is not None
    ]
    if best.parent is None:
        return "baseline", start, start
    if compared:
        return "comparison", compared[-1].first, compared[-1].second
    own = best.evaluation
    if not own.against and own.reference:
        return "score", own.measurements, own.reference
    return "apart", own.measurements, start


def read_overhead(log: RunLog) -> RunOverhead:
    """Overhead of a run's result, final or so far, from its journal alone.

    Raises :class:`~maxcode.errors.JournalError` before its baseline is known.
    """
    return overhead_of(*read_compared(log))


def read_compared(log: RunLog) -> tuple[Result, list[Compared]]:
    """The result so far of a run, and its comparisons in their order.

    Raises :class:`~maxcode.errors.JournalError` before its baseline is known.
    """
    state, comparisons = RunState(log), []
    for recorded in log.events():
        state.apply(recorded)
        if isinstance(recorded.event, Compared):
            comparisons.append(recorded.event)
    return Result.of(state), comparisons


def efficiency(runs: Sequence[RunOverhead], clock: Clock | None = None) -> Efficiency:
    """Figures over runs, such as a method's.

    Times are by each run's own clock, or all by ``clock``.
    """
    return Efficiency(
        time=_figures(runs, lambda run, one: one.seconds(clock or run.clock)),
        peak_memory=_figures(runs, lambda _, one: one.peak_bytes),
        memory_integral=_figures(runs, lambda _, one: one.integral_mb_s),
    )


def _figures(
    runs: Sequence[RunOverhead], read: Callable[[RunOverhead, Overhead], float | None]
) -> OverheadFigures | None:
    known = [
        (run.task, program, baseline)
        for run in runs
        if (program := read(run, run.program)) is not None
        and (baseline := read(run, run.baseline)) is not None
    ]
    if not known:
        return None
    bootstrap = Bootstrap([task for task, _, _ in known])
    programs, baselines = np.array([figures for _, *figures in known]).T
    program, baseline = (float(bootstrap.task_means(one).mean()) for one in (programs, baselines))
    return OverheadFigures(
        program=program,
        baseline=baseline,
        mean_of_ratios=bootstrap.mean(programs / baselines),
        ratio_of_totals=program / baseline,
        runs=len(known),
        missing=len(runs) - len(known),
    )
