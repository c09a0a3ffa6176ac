"""Seconds a candidate: our verdict against a plain `g++` and five runs in sequence, side by side.

A short search by the offline generator gives realistic candidates. Each is then judged as a script
would: `g++`, then five passes over all tests, one after another, outputs compared. That gives no
ratio yet, so the same with five passes of the baseline behind it is reported beside it. Precision
is the standard error of the ratio: of the mean of the rounds' log ratios for ours, of the two means
for the plain way.

Usage: python benchmarks/judging_cpp.py [--evaluations 12] [NAME ...]
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from statistics import geometric_mean, median, stdev
from typing import Any

from common import EXAMPLES, machine, save

from maxcode import Budget, CppExecutor, Evaluation, Options, RewriteGenerator, Search, Step
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.tasks import CppTask, load_task
from maxcode.toolchain.build_cache import BuildCache

PASSES = 5


def relative_error(samples: Sequence[float]) -> float:
    """Of the mean."""
    return stdev(samples) / (sum(samples) / len(samples)) / math.sqrt(len(samples))


def precision(evaluation: Evaluation) -> float:
    """The standard error of the log ratio of the pairs."""
    ours, theirs = evaluation.measurements[0].samples, evaluation.reference[0].samples
    logs = [math.log(b / a) for a, b in zip(ours, theirs, strict=True)]
    return stdev(logs) / math.sqrt(len(logs))


def plainly(task: CppTask, program: Program, folder: Path) -> tuple[float, list[float]] | None:
    """Seconds for the build, and processor time of each pass; None if it fails."""
    program.write(folder)
    executable = folder / "program"
    sources = [f"./{path}" for path in program.files if path.endswith((".cpp", ".cc", ".cxx"))]
    began = time.monotonic()
    command = ["g++", *sources, *task.judging.flags, "-o", str(executable)]
    if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode != 0:
        return None
    built = time.monotonic() - began
    return built, [one_pass(task, executable) for _ in range(PASSES)]


def one_pass(task: CppTask, executable: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for test in task.tests:
        done = subprocess.run([executable], input=test.input, capture_output=True, check=False)
        if task.judging.checker.difference(test.expected, done.stdout) is not None:
            raise RuntimeError(f"{task.name}: {test.name}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def candidates(task: CppTask, executor: CppExecutor, evaluations: int) -> list[Step]:
    """The correct candidates of a short search, each judged alone."""
    search = Search(
        task,
        generator=RewriteGenerator(),
        executor=executor,
        policy=MaxCodeLoop(k=4),
        budget=Budget(evaluations=evaluations + 4),  # so the last comparison is never come to
        options=Options(threads=1),
    )
    with closing(search.steps()) as found:
        steps = list(islice(found, evaluations))
    return [step for step in steps if step.evaluation.ok and step.duplicate_of is None]


def example(folder: Path, evaluations: int) -> dict[str, Any]:
    task = load_task(folder)
    rows: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        cache = BuildCache(scratch / "cache")  # what others built does not count
        with CppExecutor(cache=cache) as executor:
            steps = candidates(task, executor, evaluations)
            plain_baseline(task, scratch / "baseline")  # builds it
            for step in steps:
                began = time.monotonic()
                taken = plainly(task, step.program, scratch / f"plain-{step.id}")
                alone = time.monotonic() - began
                if taken is None:
                    continue
                began = time.monotonic()
                baseline = plain_baseline(task, scratch / "baseline")
                both = alone + time.monotonic() - began
                build, passes = taken
                again = time.monotonic()
                executor.evaluate(task, step.program)
                rows.append(
                    {
                        "ours": step.evaluation.seconds,
                        "plain": alone,
                        "plain_with_baseline": both,
                        "plain_build": build,
                        "repeated": time.monotonic() - again,
                        "error_ours": precision(step.evaluation),
                        "error_plain": math.hypot(relative_error(passes), relative_error(baseline)),
                    }
                )
    return {
        "example": folder.name,
        "bits": "bits/stdc++.h" in task.baseline.code,
        "candidates": len(rows),
        **{f"median_{key}": round(median(row[key] for row in rows), 5) for key in rows[0]},
        "times_quicker": geometric_mean([row["plain"] / row["ours"] for row in rows]),
        "times_quicker_with_baseline": geometric_mean(
            [row["plain_with_baseline"] / row["ours"] for row in rows]
        ),
    }


def plain_baseline(task: CppTask, folder: Path) -> list[float]:
    """Five passes of the baseline, which is built once and outside the clock."""
    executable = folder / "program"
    if not executable.exists():
        task.baseline.write(folder)
        sources = [f"./{path}" for path in task.baseline.files if path.endswith(".cpp")]
        command = ["g++", *sources, *task.judging.flags, "-o", str(executable)]
        subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return [one_pass(task, executable) for _ in range(PASSES)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--evaluations", type=int, default=12)
    given = parser.parse_args()
    taken_on = machine()
    rows = []
    for folder in EXAMPLES:
        if not given.names or folder.name in given.names:
            rows.append(example(folder, given.evaluations))
            print(rows[-1], flush=True)
            save("judging_cpp", {"evaluations": given.evaluations, "examples": rows}, taken_on)


if __name__ == "__main__":
    main()
