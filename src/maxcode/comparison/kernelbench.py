"""Runs of a comparison as KernelBench's files."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from maxcode.comparison.contest import Contest
from maxcode.comparison.outcome import Outcome
from maxcode.errors import InputError
from maxcode.evaluation import Measurement, Status
from maxcode.executors.kernel.kernelbench import Verdict, stats_of
from maxcode.files import write_text
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.state import RunState
from maxcode.program import Program
from maxcode.search.result import Result
from maxcode.tasks.kernelbench import EvalResult, RuntimeStats
from maxcode.tree import ROOT, Step

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

    @property
    def kernel(self) -> str:
        """The name of a generated kernel's file, for that benchmark's scripts."""
        return f"level_{self.level}_problem_{self.number}_sample_0_kernel.py"

    @classmethod
    def of(cls, task: str) -> Problem:
        """Problem of a task, such as "level1/19_ReLU". Raises :class:`InputError` for others."""
        match = _TASK.fullmatch(task)
        if match is None:
            raise InputError(f"{task!r} is no problem of KernelBench")
        return cls(int(match[1]), int(match[3]), f"{match[2]}.py")


def write_kernelbench(contest: Contest, journal: Journal, folder: Path) -> list[Path]:
    """Write ``folder/level1/METHOD-seedN/`` for each level, method and seed; gives these folders.

    Each holds the kernels, ``eval_results.json`` and ``baseline_time.json``, the reference's times
    as measured beside these kernels. A run without a correct kernel has a baseline time, too: the
    benchmark's scripts leave out problems without it. Earlier files there are removed. Raises
    :class:`InputError` for anything that cannot be written.
    """
    groups: dict[Path, list[Outcome]] = {}
    for outcome in contest.outcomes:
        level = f"level{Problem.of(outcome.task).level}"
        run = _UNSAFE.sub("-", f"{outcome.method}-seed{outcome.seed}")
        groups.setdefault(folder / level / run, []).append(outcome)
    for place, outcomes in groups.items():
        found = {
            Problem.of(one.task): _read(journal.run(one.run_id))
            for one in sorted(outcomes, key=lambda one: Problem.of(one.task).number)
        }
        for path in (*place.glob("level_*_kernel.py"), place / RESULTS, place / BASELINE):
            path.unlink(missing_ok=True)
        results: dict[str, JsonValue] = {}
        baselines: dict[str, JsonValue] = {}
        for problem, (kernel, result, time) in found.items():
            if kernel is not None:
                write_text(place / problem.kernel, kernel.code)
            row = {"sample_id": 0, **result.model_dump(exclude_none=True)}
            results[str(problem.number)] = [row]
            baselines[problem.file] = time.model_dump(exclude_none=True)
        write_text(place / RESULTS, json.dumps(results, indent=4))
        write_text(place / BASELINE, json.dumps({place.parent.name: baselines}, indent=4))
    return list(groups)


def _read(log: RunLog) -> tuple[Program | None, EvalResult, RuntimeStats]:
    """The best correct kernel of a run, if any, its result, and the time of the reference."""
    result = Result.of(RunState.load(log))
    device, hardware = _machine(result.baseline.machine)

    def stats(measurements: Sequence[Measurement]) -> RuntimeStats:
        return stats_of([1e3 * sample for sample in measurements[0].samples], hardware, device)

    best = result.best if result.best.parent is not None else _best_own(result)
    metadata: dict[str, JsonValue] = {"hardware": hardware, "device": device}
    if best is None:
        never = (Status.BUILD_ERROR, Status.INFRASTRUCTURE)
        ran = any(one.evaluation.status not in never for one in [*result.tree][1:])
        failed = EvalResult(
            compiled=ran, correctness=False, metadata=metadata, runtime=-1.0, runtime_stats={}
        )
        return None, failed, stats(result.baseline.measurements)
    ours, theirs = best.evaluation.measurements, best.evaluation.reference
    if best is result.best:
        theirs, ours = result.samples
    try:
        metadata = {**Verdict.of(best.evaluation).result.metadata, "judged_by": "kernelbench"}
    except ValueError:  # judged by the rules of strict mode
        metadata["judged_by"] = "strict"
    time = stats(ours)
    kept = EvalResult(
        compiled=True,
        correctness=True,
        metadata=metadata,
        runtime=time.mean,
        runtime_stats=time,
    )
    return best.program, kept, stats(theirs)


def _best_own(result: Result) -> Step | None:
    """The fastest correct step that is no copy of the baseline."""
    own = (one for one in [*result.tree][1:] if one.evaluation.ok and one.duplicate_of != ROOT)
    return max(own, key=lambda step: step.reward, default=None)


def _machine(facts: str) -> tuple[str, str]:
    """Device and hardware, from a baseline's facts about its machine, one a line."""
    known = dict(line.split(": ", 1) for line in facts.splitlines() if ": " in line)
    if "GPU" in known:
        return "cuda", known["GPU"].partition(",")[0]
    return known.get("device", "cpu"), known.get("CPU", "unknown")
