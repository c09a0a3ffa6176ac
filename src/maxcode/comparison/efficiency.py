"""Effi-Learner's metrics of any run: time, peak memory and memory over time, before and after.

D. Huang et al. (arXiv 2405.15189) measure each program's time (ET), peak memory (MU) and integral
of memory over time (TMU), and divide by a reference program's (NET, NMU, NTMU). The paper takes the
mean over tasks of each task's ratio, its scripts divide the totals, so that costly tasks decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from maxcode.evaluation import Measurement
from maxcode.measure.statistics import Bootstrap, Estimate
from maxcode.search.result import Result

_MIN_USE = {"cpu": 1e-6, "wall": 1e-6, "peak_memory": 1, "memory_integral": 1e-6}
"""Readings of meters where nothing was used."""


@dataclass(frozen=True)
class RunOverhead:
    """Time and memory of the program a run returns, and of its baseline.

    Both have the median ``time`` in seconds, ``peak_memory`` in bytes and ``memory_integral`` in
    MB*s, a MB being 10^6 bytes, of a pass over all tests of the task or of a kernel's call, as far
    as measured and above nothing. Time is by the run's meter if it is a clock, else processor time.
    """

    task: str
    program: Mapping[str, float]
    baseline: Mapping[str, float]


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


def overhead_of(result: Result) -> RunOverhead:
    """Overhead of a run's result."""
    clock = "wall" if result.baseline.measurements[0].meter == "wall" else "cpu"
    program, baseline = (_medians(found, clock) for found in samples_of(result))
    return RunOverhead(result.task, program, baseline)


def samples_of(result: Result) -> tuple[tuple[Measurement, ...], tuple[Measurement, ...]]:
    """Measurements of a run's result and of its baseline.

    From their comparison; without it those taken when the program was scored, where the baseline's
    may be from the start of the run. A search picks high scores, so these flatter it.
    """
    start, own = result.baseline.measurements, result.best.evaluation
    if result.best.parent is None:
        return start, start
    if comparison := result.tree.confirmation(result.best.id):
        return comparison.first, comparison.second
    return own.measurements, start if own.against or not own.reference else own.reference


def _medians(measurements: Sequence[Measurement], clock: str) -> dict[str, float]:
    """Medians by figure; of several with one meter the first counts."""
    found = {one.meter: one.median for one in reversed(measurements)}
    meters = {"time": clock, "peak_memory": "peak_memory", "memory_integral": "memory_integral"}
    return {
        name: found[meter]
        for name, meter in meters.items()
        if found.get(meter, 0.0) > _MIN_USE[meter]
    }


def efficiency(runs: Sequence[RunOverhead]) -> Efficiency:
    """Figures over runs, such as a method's."""
    return Efficiency(*(_figures(runs, field.name) for field in fields(Efficiency)))


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
