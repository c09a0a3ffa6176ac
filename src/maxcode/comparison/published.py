"""Tables of published work: each figure as its source defines it, and the same confirmed.

Sources go by what a search scored, once; nothing is measured again. That is told as *scored*. The
same methods by what was *confirmed* stand beside, with 95 % intervals. Scored rows are over the
pairs of a task and a seed with which every method ended or failed, so that unfinished contests
favour nobody; a method of which every run failed has none. "first" is the first candidate alone.
Candidates are a model's answers, those without a program and copies of earlier ones included.

* MaxCode (arXiv 2601.05475): over problems, the median of the highest speedup of a search (with
  several seeds, on average over them), and the average place by it among the methods. A search
  that finds nothing keeps the baseline, a speedup of 1; the paper does not say how it counts those.
* KernelBench (arXiv 2502.10517, ``src/kernelbench/score.py``): fast_p, the share of a level's
  problems with a correct kernel that is more than p times as fast; a problem without a result has
  no correct one.
* PIE (arXiv 2302.07867, ``gem5/gem5_eval.py``): of the first k programs the best correct one
  (best@k); *speedup* is the arithmetic mean over problems, 1 where none is correct or faster; %Opt
  is the share with a speedup of at least 1.1, %Correct that with a correct program, of which a copy
  of the slow one is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Literal

import numpy as np
from pydantic import JsonValue

from maxcode.comparison.contest import OPTIMISED, THRESHOLDS, Contest
from maxcode.comparison.efficiency import read_compared, samples_of
from maxcode.comparison.outcome import Outcome
from maxcode.errors import InputError
from maxcode.evaluation import Measurement, Status
from maxcode.executors.kernel.kernelbench import Verdict, stats_of
from maxcode.journal.journal import Journal, RunLog
from maxcode.measure.statistics import Estimate, ranks
from maxcode.program import Program
from maxcode.search.result import Result
from maxcode.tasks.kernelbench import (
    EvalResult,
    KernelName,
    RuntimeStats,
    read_baseline_times,
    read_eval_results,
    write_baseline_times,
    write_eval_results,
    write_kernel,
)
from maxcode.tree import ROOT, Step

Kind = Literal["factor", "share", "place"]
Figure = Estimate | float


@dataclass(frozen=True)
class Column:
    """What a column tells: a speedup, a share of problems, or a place among methods."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class Row:
    """The figures of a method, a float as scored and an estimate as confirmed; None is unknown."""

    method: str
    counted: str
    figures: tuple[Figure | None, ...]


@dataclass(frozen=True)
class PublishedTable:
    """A table that some paper or benchmark has; scored rows count so many ``runs`` each."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    runs: int


def maxcode_table(contest: Contest, title: str = "") -> PublishedTable:
    """Median of the highest speedup and average rank, over the pairs that every method ended."""
    scored = _scored(contest, set(contest.pairs))
    rows: list[Row] = []
    if contest.pairs:
        best = {name: [max(1.0, best_at(one.scores)) for one in scored[name]] for name in scored}
        places = ranks(np.array(list(best.values())))
        confirmed = {one.method: one for one in contest.standings()}
        for number, (name, found) in enumerate(scored.items()):
            rows += [
                Row(name, "scored", (_median(found), float(places[number].mean()))),
                Row(name, "confirmed", (confirmed[name].median, confirmed[name].rank)),
            ]
    columns = (Column("median of max speedup", "factor"), Column("average rank", "place"))
    return PublishedTable(_titled("MaxCode", title), columns, tuple(rows), len(contest.pairs))


def kernelbench_table(
    contest: Contest, title: str = "", elsewhere: Mapping[str, Sequence[float]] | None = None
) -> PublishedTable:
    """fast_p of each method: of the first candidate, which is that benchmark's usual, and the best.

    A run that failed has no correct kernel. ``elsewhere`` has the speedups of methods that were run
    by others, a problem each, 0.0 where no kernel was correct.
    """
    confirmed = {one.method: one for one in contest.standings()}
    pairs = _settled(contest)
    rows: list[Row] = []
    for name, found in _scored(contest, pairs).items():
        for counted, k in (("first", 1), ("scored", None)):
            rows.append(Row(name, counted, fast_p([best_at(one.scores, k) for one in found])))
        if name in confirmed:
            fast = tuple(confirmed[name].fast[p] for p in THRESHOLDS)
            rows.append(Row(name, "confirmed", fast))
    rows += [Row(name, "elsewhere", fast_p(found)) for name, found in (elsewhere or {}).items()]
    columns = tuple(Column(f"> {p:g}", "share") for p in THRESHOLDS)
    return PublishedTable(_titled("KernelBench, fast_p", title), columns, tuple(rows), len(pairs))


def pie_table(contest: Contest, title: str = "") -> PublishedTable:
    """%Opt, speedup and %Correct of each method at 1, 2, 4 and so on candidates, and confirmed.

    A run that failed has no correct program.
    """
    confirmed = {one.method: one for one in contest.standings()}
    pairs = _settled(contest)
    most = max((min(len(o.scores), o.spent.evaluations) for o in contest.outcomes), default=1)
    rows: list[Row] = []
    for name, found in _scored(contest, pairs).items():
        for k in _powers(most):
            best = [best_at(one.scores, k) for one in found]
            optimised = fmean(one >= OPTIMISED for one in best)
            speedup = fmean(max(1.0, one) for one in best)
            correct = fmean(one > 0 for one in best)
            rows.append(Row(name, f"best@{k}", (optimised, speedup, correct)))
        if standing := confirmed.get(name):
            figures = (standing.optimised, standing.arithmetic_mean, standing.correct)
            rows.append(Row(name, "confirmed", figures))
    columns = (Column("%Opt", "share"), Column("speedup", "factor"), Column("%Correct", "share"))
    return PublishedTable(_titled("PIE", title), columns, tuple(rows), len(pairs))


def best_at(scores: Sequence[float], k: int | None = None) -> float:
    """The highest score of the first ``k`` candidates, of all without it; 0.0 if none is right."""
    return max(scores[:k], default=0.0)


def fast_p(speedups: Sequence[float]) -> tuple[float, ...]:
    """The share of speedups above each of the thresholds; what is not correct has 0.0."""
    return tuple(fmean(one > p for one in speedups) for p in THRESHOLDS)


@dataclass(frozen=True)
class _Run:
    seed: int
    scores: tuple[float, ...]


def _settled(contest: Contest) -> set[tuple[str, int]]:
    """The pairs with which every method ended or failed, but for methods that only failed."""
    ranked = [name for name in contest.methods if name not in contest.left_out]
    held: dict[str, set[tuple[str, int]]] = {name: set() for name in contest.methods}
    for one in contest.outcomes:
        held[one.method].add((one.task, one.seed))
    for failed in contest.failures:
        held[failed.method].add((failed.task, failed.seed))
    return set.intersection(*(held[name] for name in ranked)) if ranked else set()


def _scored(contest: Contest, pairs: set[tuple[str, int]]) -> dict[str, list[_Run]]:
    """What each method scored with these pairs, in their order; nothing where it failed."""
    found: dict[str, dict[tuple[str, int], _Run]] = {}
    for failed in contest.failures:
        pair = failed.task, failed.seed
        found.setdefault(failed.method, {})[pair] = _Run(failed.seed, ())
    for one in contest.outcomes:
        pair = one.task, one.seed
        found.setdefault(one.method, {})[pair] = _Run(one.seed, one.scores)
    return {
        name: [found[name][pair] for pair in sorted(pairs)]
        for name in contest.methods
        if pairs and name not in contest.left_out
    }


def _median(found: Sequence[_Run]) -> float:
    """The median over tasks for each seed, on average over seeds."""
    seeds = sorted({one.seed for one in found})
    return fmean(
        median(max(1.0, best_at(one.scores)) for one in found if one.seed == seed) for seed in seeds
    )


def _powers(most: int) -> list[int]:
    """1, 2, 4 and so on, and last ``most`` itself."""
    powers = [2**n for n in range(max(most, 1).bit_length()) if 2**n < most]
    return [*powers, most]


def _titled(name: str, title: str) -> str:
    return f"{name}: {title}" if title else name


BASELINE = "baseline_time.json"
RESULTS = "eval_results.json"

_TASK = re.compile(r"level(\d+)/((\d+)_.+)")
_UNSAFE = re.compile(r"[^\w.@+=,-]+")


@dataclass(frozen=True)
class Problem:
    """A problem of KernelBench: its level, its number, and its file's name."""

    level: int
    number: int
    file: str

    @classmethod
    def of(cls, task: str) -> Problem:
        """From a task's name, such as "level1/19_ReLU". Raises :class:`InputError` for others."""
        match = _TASK.fullmatch(task)
        if match is None:
            raise InputError(f"{task!r} is no problem of KernelBench")
        return cls(int(match[1]), int(match[3]), f"{match[2]}.py")


@dataclass(frozen=True)
class _Found:
    """The best correct kernel of a run, if any, its result, and the time of the reference."""

    kernel: Program | None
    result: EvalResult
    baseline: RuntimeStats


def write_kernelbench(contest: Contest, journal: Journal, folder: Path) -> list[Path]:
    """Write ``folder/level1/METHOD-seedN/`` for each level, method and seed; gives those folders.

    Each holds the kernels, ``eval_results.json`` and ``baseline_time.json``, the reference's times
    as measured beside those kernels. A run without a correct kernel has a result that says so, and
    a baseline time all the same: that benchmark's scripts leave out problems without one. A run
    that failed has neither. What was written there before is removed. Raises :class:`InputError`
    for what cannot be written.
    """
    groups: dict[Path, list[Outcome]] = {}
    for outcome in contest.outcomes:
        level = f"level{Problem.of(outcome.task).level}"
        name = _UNSAFE.sub("-", f"{outcome.method}-seed{outcome.seed}")
        groups.setdefault(folder / level / name, []).append(outcome)
    for place, outcomes in groups.items():
        kernels: dict[KernelName, Program] = {}
        results: dict[tuple[int, int], EvalResult] = {}
        baselines: dict[str, RuntimeStats] = {}
        for outcome in outcomes:
            problem, found = Problem.of(outcome.task), _read(journal.run(outcome.run_id))
            baselines[problem.file] = found.baseline
            if found.kernel is not None:
                kernels[KernelName(problem.level, problem.number, 0)] = found.kernel
            results[problem.number, 0] = found.result
        _clear(place)
        for kernel_name, kernel in kernels.items():
            write_kernel(place, kernel_name, kernel)
        write_eval_results(place / RESULTS, results)
        write_baseline_times(place / BASELINE, Problem.of(outcomes[0].task).level, baselines)
    return list(groups)


def read_elsewhere(
    results: Path | str, baseline: Path | str, tasks: Sequence[str]
) -> tuple[float, ...]:
    """The speedups of kernels that were run elsewhere, one for each problem: of its sample 0.

    0.0 stands for a problem without a correct kernel. Raises :class:`InputError` for files that are
    none, and for a correct kernel whose problem has no baseline time.
    """
    found, problems = read_eval_results(results), [Problem.of(task) for task in tasks]
    levels = {problem.level for problem in problems}
    if len(levels) != 1:
        raise InputError(f"{results} is of one level, and the tasks are of levels {sorted(levels)}")
    times = read_baseline_times(baseline, levels.pop())
    return tuple(_speedup(problem, found, times, str(baseline)) for problem in problems)


def _speedup(
    problem: Problem,
    results: Mapping[tuple[int, int], EvalResult],
    times: Mapping[str, RuntimeStats],
    where: str,
) -> float:
    result = results.get((problem.number, 0))
    if result is None or not result.correctness:
        return 0.0
    if problem.file not in times:
        raise InputError(f"{where}: level{problem.level} has no time of {problem.file}")
    if not result.runtime > 0:
        raise InputError(
            f"the kernel of problem {problem.number} is correct but has no time: its runtime is "
            f"{result.runtime}"
        )
    return times[problem.file].mean / result.runtime


def _clear(place: Path) -> None:
    """Remove what was written there before: results of other runs, and their kernels."""
    for path in place.iterdir() if place.is_dir() else ():
        if path.name in (RESULTS, BASELINE) or KernelName.parse(path.name):
            path.unlink()


def _read(log: RunLog) -> _Found:
    """The best kernel of a run, and what became of it."""
    result, comparisons = read_compared(log)
    best = result.best if result.best.parent is not None else _best_own(result)
    device, hardware = _machine(result.baseline.machine)
    metadata: dict[str, JsonValue] = {"hardware": hardware, "device": device}
    if best is None:
        compiled = any(
            step.evaluation.status not in (Status.BUILD_ERROR, Status.INFRASTRUCTURE)
            for step in result.tree
            if step.parent is not None
        )
        failed = EvalResult(
            compiled=compiled, correctness=False, metadata=metadata, runtime=-1.0, runtime_stats={}
        )
        start = stats_of(_milliseconds(result.baseline.measurements), hardware, device)
        return _Found(None, failed, start)
    if best is result.best:
        _, ours, theirs = samples_of(result, comparisons)
    else:
        ours, theirs = best.evaluation.measurements, best.evaluation.reference
    try:
        metadata = {**Verdict.of(best.evaluation).result.metadata, "judged_by": "kernelbench"}
    except ValueError:  # judged by the rules of strict mode
        metadata["judged_by"] = "strict"
    runtime = stats_of(_milliseconds(ours), hardware, device)
    kept = EvalResult(
        compiled=True,
        correctness=True,
        metadata=metadata,
        runtime=runtime.mean,
        runtime_stats=runtime,
    )
    return _Found(best.program, kept, stats_of(_milliseconds(theirs), hardware, device))


def _best_own(result: Result) -> Step | None:
    own: Iterator[Step] = (
        step
        for step in result.tree
        if step.parent is not None and step.evaluation.ok and step.duplicate_of != ROOT
    )
    return max(own, key=lambda step: step.reward, default=None)


def _milliseconds(measurements: Sequence[Measurement]) -> list[float]:
    return [1e3 * sample for sample in measurements[0].samples]


def _machine(facts: str) -> tuple[str, str]:
    """Device and hardware, from what a baseline tells of its machine, a fact a line."""
    told = dict(line.split(": ", 1) for line in facts.splitlines() if ": " in line)
    if "GPU" in told:
        return "cuda", told["GPU"].partition(",")[0]
    return told.get("device", "cpu"), told.get("CPU", "unknown")
