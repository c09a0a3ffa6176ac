"""Seconds a C++ verdict: maxcode against plain `g++` and five runs in sequence, side by side.

The correct candidates of a short search by the offline generator are judged anew by an executor
that holds no program yet, two at a time, as a search with two threads does. Headers that the search
compiled are there, as they are from the second search on.

Beside it the way of a script, over the same programs: `g++`, then five passes over all tests with
outputs compared, and, for a ratio, five passes of the baseline.

Usage: python benchmarks/judging_cpp.py [--evaluations 12] [NAME ...]
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from common import EXAMPLES, earlier, options, save

from maxcode import Budget, Options, ProgramExecutor, RewriteGenerator, Search
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.tasks import ProgramTask, load_program_folder
from maxcode.toolchain.build_cache import BuildCache

PASSES = 5
THREADS = 2


def searched(task: ProgramTask, cache: BuildCache, evaluations: int) -> list[Program]:
    """The correct candidates of a search."""
    with ProgramExecutor(cache=cache) as executor:
        search = Search(
            task,
            generator=RewriteGenerator(),
            executor=executor,
            policy=MaxCodeLoop(k=4),
            budget=Budget(evaluations=evaluations),
            options=Options(threads=THREADS, fuzz=0, minimise=0.0),
        )
        steps = [step for step in search.steps() if step.evaluation.ok]
        return [step.program for step in steps if step.duplicate_of is None]


def seconds_of_ours(task: ProgramTask, cache: BuildCache, programs: list[Program]) -> float:
    """Seconds on the clock for all verdicts."""
    with ProgramExecutor(cache=cache) as executor, ThreadPoolExecutor(THREADS) as threads:
        executor.prepare(task)
        began = time.monotonic()
        found = list(threads.map(lambda one: executor.evaluate(task, one), programs))
        seconds = time.monotonic() - began
    assert all(one.ok for one in found), [one.feedback for one in found]
    return seconds


def built(task: ProgramTask, program: Program, folder: Path) -> Path:
    program.write(folder)
    sources = [f"./{path}" for path in program.files if path.endswith((".cpp", ".cc", ".cxx"))]
    command = ["g++", *sources, *task.judging.flags, "-o", "program"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return folder / "program"


def run(task: ProgramTask, executable: Path) -> None:
    """Run all tests, and compare the outputs, five times."""
    for test in task.tests * PASSES:
        done = subprocess.run([executable], input=test.input, capture_output=True, check=False)
        if task.judging.checker.difference(test.expected, done.stdout) is not None:
            raise RuntimeError(f"{task.name}: {test.name}")


def seconds_of_plain(task: ProgramTask, programs: list[Program], folder: Path) -> float:
    """Seconds on the clock for builds and runs, with those of the baseline."""
    baseline = built(task, task.baseline, folder / "baseline")
    began = time.monotonic()
    for program in programs:
        run(task, built(task, program, folder / "candidate"))
        run(task, baseline)
    return time.monotonic() - began


def example(folder: Path, evaluations: int) -> dict[str, Any]:
    task = load_program_folder(folder)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        cache = BuildCache(scratch / "cache")  # holds nothing of other runs
        programs = searched(task, cache, evaluations)
        for program in (scratch / "cache").glob("*.program"):
            program.unlink()
        ours = seconds_of_ours(task, cache, programs)
        plain = seconds_of_plain(task, programs, scratch)
    return {
        "example": folder.name,
        "candidates": len(programs),
        "seconds_a_candidate": ours / len(programs),
        "plain_seconds_a_candidate": plain / len(programs),
        "times_quicker_than_with_baseline": plain / ours,
    }


def main() -> None:
    given = options(__doc__, "names", evaluations=12)
    rows: dict[str, Any] = {}
    if given.names:  # the others stay as they were
        rows = {row["example"]: row for row in earlier("judging_cpp")["examples"]}
    for folder in EXAMPLES:
        if not given.names or folder.name in given.names:
            rows[folder.name] = example(folder, given.evaluations)
            print(rows[folder.name], flush=True)
            found = {"evaluations": given.evaluations, "examples": list(rows.values())}
            save("judging_cpp", found)


if __name__ == "__main__":
    main()
