"""Effi-Learner's metrics of any run: time, peak memory and memory over time, before and after.

D. Huang et al. (arXiv 2405.15189) measure each program's time (ET), peak memory (MU) and integral
of memory over time (TMU), and divide by a reference program's (NET, NMU, NTMU). The paper takes the
mean over tasks of each task's ratio, its scripts divide the totals, so that costly tasks decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from maxcode.evaluation import Measurement
from maxcode.measure.statistics import Bootstrap, Estimate
from maxcode.search.result import Result

METRICS = ("time", "peak_memory", "memory_integral")
"""ET and NET in seconds, MU and NMU in bytes, TMU and NTMU in MB*s, a MB being 10^6 bytes."""

_LEAST = 1e-6
"""Readings at most this large mean that nothing was used."""


@dataclass(frozen=True)
class RunOverhead:
    """Metrics of the program a run returns, and of its baseline.

    Medians of a pass over all tests of the task or of a kernel's call, as far as measured and above
    nothing. Time is by the run's meter if it is a clock, else processor time.
    """

    task: str
    program: Mapping[str, float]
    baseline: Mapping[str, float]


@dataclass(frozen=True)
class OverheadFigures:
    """A metric over runs, each task counting once however many runs it has.

    With p the metric of a run's program and b that of its baseline:

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


def overhead_of(result: Result) -> RunOverhead:
    """Metrics of a run's result, by :attr:`Result.samples`."""
    clock = "wall" if result.baseline.measurements[0].meter == "wall" else "cpu"
    baseline, program = (_medians(found, clock) for found in result.samples)
    return RunOverhead(result.task, program, baseline)


def _medians(measurements: Sequence[Measurement], clock: str) -> dict[str, float]:
    """Medians by metric; of several with one meter the first counts."""
    found = {one.meter: one.median for one in reversed(measurements)}
    used = {name: found.get(clock if name == "time" else name, 0.0) for name in METRICS}
    return {name: value for name, value in used.items() if value > _LEAST}


def efficiency(runs: Sequence[RunOverhead]) -> dict[str, OverheadFigures | None]:
    """Figures over runs, such as a method's, by metric; None where no run has it."""
    return {name: _figures(runs, name) for name in METRICS}


def _figures(runs: Sequence[RunOverhead], name: str) -> OverheadFigures | None:
    known = [run for run in runs if name in run.program and name in run.baseline]
    if not known:
        return None
    bootstrap = Bootstrap([run.task for run in known])
    programs = np.array([run.program[name] for run in known])
    baselines = np.array([run.baseline[name] for run in known])
    program, baseline = (float(bootstrap.task_means(one).mean()) for one in (programs, baselines))
    return OverheadFigures(
        program=program,
        baseline=baseline,
        mean_of_ratios=bootstrap.mean(programs / baselines),
        ratio_of_totals=program / baseline,
        runs=len(known),
        missing=len(runs) - len(known),
    )
