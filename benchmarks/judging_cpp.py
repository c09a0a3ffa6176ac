"""Seconds a candidate: our verdict against a plain `g++` and five runs in sequence, side by side.

A short search by the offline generator gives realistic candidates, and says which of them were
promoted. The correct ones are then judged anew by an executor that holds no program yet, two at a
time, as a search with two threads does: the clock runs over the verdicts. Comparisons, which a
search makes of what looks like a new best, are counted apart. Headers that the search compiled are
there, as they are from the second search on; what the first one spends on them is shown by the
search's own seconds.

Beside it the way of a script, over the same programs: `g++`, then five passes over all tests, one
after another, outputs compared. That gives no ratio yet, so the same with five passes of the
baseline behind it is reported, too. Precision is the standard error of the ratio: of the mean of
the rounds' log ratios for ours, of the two means for the plain way.

Usage: python benchmarks/judging_cpp.py [--evaluations 12] [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

from common import EXAMPLES, RESULTS, machine, save

from maxcode import Budget, Evaluation, Options, ProgramExecutor, RewriteGenerator, Search
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.tasks import ProgramTask, load_program_folder
from maxcode.toolchain.build_cache import BuildCache

PASSES = 5
KEPT = RESULTS / "judging_cpp.json"
THREADS = 2


@dataclass
class Phase:
    """The correct candidates of a search until one of them, ``promoted``, became the best."""

    programs: list[Program] = field(default_factory=list)
    promoted: tuple[Program, Program] | None = None  # and what it was compared with


def searched(task: ProgramTask, cache: BuildCache, evaluations: int) -> tuple[list[Phase], float]:
    """A search's phases, and the mean seconds that it was charged for a verdict."""
    with ProgramExecutor(cache=cache) as executor:
        search = Search(
            task,
            generator=RewriteGenerator(),
            executor=executor,
            policy=MaxCodeLoop(k=4),
            budget=Budget(evaluations=evaluations),
            options=Options(threads=THREADS),
        )
        phases, seconds, best = [Phase()], [], task.baseline
        for step in search.steps():
            if not step.evaluation.ok or step.duplicate_of is not None:
                continue
            phases[-1].programs.append(step.program)
            seconds.append(step.evaluation.seconds)
            if (new := search.state.tree.best.program) != best:
                phases[-1].promoted = (new, best)
                phases.append(Phase())
                best = new
    return [phase for phase in phases if phase.programs], fmean(seconds)


@dataclass
class Ours:
    """What our way took."""

    seconds: float = 0.0  # on the clock, for all verdicts
    comparing: float = 0.0
    evaluations: list[Evaluation] = field(default_factory=list)
    again: list[float] = field(default_factory=list)


def ours(task: ProgramTask, cache: BuildCache, phases: Sequence[Phase]) -> Iterator[Ours]:
    """Judge phase by phase; what it took so far."""
    taken = Ours()
    with ProgramExecutor(cache=cache) as executor, ThreadPoolExecutor(THREADS) as threads:
        executor.prepare(task)
        for phase in phases:
            began = time.monotonic()
            found = list(threads.map(lambda one: executor.evaluate(task, one), phase.programs))
            taken.seconds += time.monotonic() - began
            taken.evaluations += found
            if phase.promoted:
                began = time.monotonic()
                executor.compare(task, *phase.promoted)
                taken.comparing += time.monotonic() - began
            for program in phase.programs:
                began = time.monotonic()
                executor.evaluate(task, program)
                taken.again.append(time.monotonic() - began)
            yield taken


@dataclass
class Plain:
    """What the way of a script took, in seconds; a precision for each candidate."""

    building: float = 0.0
    running: float = 0.0
    running_baseline: float = 0.0
    errors: list[float] = field(default_factory=list)

    def judge(self, task: ProgramTask, program: Program, folder: Path) -> None:
        began = time.monotonic()
        executable = built(task, program, folder / "candidate")
        between = time.monotonic()
        self.building += between - began
        passes = [one_pass(task, executable) for _ in range(PASSES)]
        after = time.monotonic()
        self.running += after - between
        baseline = [one_pass(task, folder / "baseline" / "program") for _ in range(PASSES)]
        self.running_baseline += time.monotonic() - after
        self.errors.append(math.hypot(relative_error(passes), relative_error(baseline)))


def built(task: ProgramTask, program: Program, folder: Path) -> Path:
    program.write(folder)
    sources = [f"./{path}" for path in program.files if path.endswith((".cpp", ".cc", ".cxx"))]
    command = ["g++", *sources, *task.judging.flags, "-o", "program"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return folder / "program"


def one_pass(task: ProgramTask, executable: Path) -> float:
    """Processor time of one run on each test."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for test in task.tests:
        done = subprocess.run([executable], input=test.input, capture_output=True, check=False)
        if task.judging.checker.difference(test.expected, done.stdout) is not None:
            raise RuntimeError(f"{task.name}: {test.name}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def relative_error(samples: Sequence[float]) -> float:
    """Of the mean."""
    return stdev(samples) / fmean(samples) / math.sqrt(len(samples))


def precision(evaluation: Evaluation) -> float:
    """The standard error of the log ratio of the pairs."""
    samples = evaluation.measurements[0].samples, evaluation.reference[0].samples
    logs = [math.log(b / a) for a, b in zip(*samples, strict=True)]
    return stdev(logs) / math.sqrt(len(logs))


def example(folder: Path, evaluations: int) -> dict[str, Any]:
    task = load_program_folder(folder)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        cache = BuildCache(scratch / "cache")  # what others built does not count
        phases, first = searched(task, cache, evaluations)
        for program in (scratch / "cache").glob("*.program"):
            program.unlink()
        built(task, task.baseline, scratch / "baseline")
        plain, taken = Plain(), Ours()
        for phase, taken in zip(phases, ours(task, cache, phases), strict=True):  # noqa: B007
            for candidate in phase.programs:
                plain.judge(task, candidate, scratch)
    count = len(taken.evaluations)
    assert all(one.ok for one in taken.evaluations), [one.feedback for one in taken.evaluations]
    alone = plain.building + plain.running
    return {
        "example": folder.name,
        "bits": "bits/stdc++.h" in task.baseline.code,
        "candidates": count,
        "seconds_a_candidate": {
            "ours": taken.seconds / count,
            "plain": alone / count,
            "plain_with_baseline": (alone + plain.running_baseline) / count,
            "plain_build": plain.building / count,
            "ours_alone": fmean(one.seconds for one in taken.evaluations),
            "ours_in_a_first_search": first,
            "comparisons": taken.comparing / count,
            "repeated": median(taken.again),
        },
        "error": {
            "ours": median(map(precision, taken.evaluations)),
            "plain": median(plain.errors),
        },
        "times_quicker": alone / taken.seconds,
        "times_quicker_than_with_baseline": (alone + plain.running_baseline) / taken.seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--evaluations", type=int, default=12)
    given = parser.parse_args()
    taken_on = machine()
    rows: dict[str, Any] = {}
    if given.names:  # the others stay as they were
        rows = {row["example"]: row for row in json.loads(KEPT.read_text())["examples"]}
    for folder in EXAMPLES:
        if not given.names or folder.name in given.names:
            rows[folder.name] = example(folder, given.evaluations)
            print(rows[folder.name], flush=True)
            found = {"evaluations": given.evaluations, "examples": list(rows.values())}
            save("judging_cpp", found, taken_on)


if __name__ == "__main__":
    main()
