"""Seconds a candidate on a problem of PIE's size: our verdict against PIE's own way, side by side.

The problem has 100 tests, as the median one of PIE's test set has; it, its inputs and its
candidates are written here and go through files in PIE's format. It is judged with two sets of
inputs: ``long``, where the slow program takes milliseconds longer than a process takes to start,
and ``short``, where it hardly does, and what is timed is mostly starts. Candidates are judged one
at a time, each first by an executor as in a search (build, check and timing; the baseline was
prepared once, which is measured apart, with the headers that are compiled then) and at once by
PIE's way.

PIE's way is that of ``single_submission`` in ``gem5/gem5_api.py`` of
https://github.com/LearningOpt/pie with ``timing_env="binary"``, the one that needs no simulator:

1. ``compile_and_check_outputs``: one ``g++`` build, then one process for each test, all outputs
   compared (we compare with our checker ``pie``, which is the same).
2. ``run_hyperfine``: for each test a source of its own (with its input's path in it) and a ``g++``
   build of its own; then runs of each executable. PIE asks for at least 10 of them after 5 to warm
   up and 3 as a trial; here it is five and nothing else, in PIE's favour. So is that they read
   standard input, with a comment in place of the path.

The builds of step 2 are timed for the first ``--built`` tests, and taken to be as long for the
others; ``pie_shared_build`` is what the same takes with the build of step 1 for all runs instead. A
wrong candidate ends after step 1.

Seconds are on the clock; ours without waiting for the processor where only one pair at a time is
timed, for another search on this machine may hold it. Ours times the best program so far beside
each candidate, up to eight times, and says how sure the ratio is; PIE's way times the candidate
alone.

Usage: python benchmarks/judging_pie.py [--built 5]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from common import machine, save

from maxcode import CppExecutor
from maxcode.program import Program
from maxcode.tasks import CppTask, load_pie
from maxcode.tasks.checkers import Checker
from maxcode.toolchain.build_cache import BuildCache

TESTS, RUNS = 100, 5
LARGEST = {"long": 30_000, "short": 3000}
CHECKER = Checker("pie", 1e-3)
FRAME = """#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    long long pairs = 0;
    %s
    cout << pairs << endl;
}
"""
SLOW = FRAME % "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) pairs += a[i] == a[j];"
MAP = FRAME % "map<int, int> seen; for (int x : a) pairs += seen[x]++;"
FAST = """#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    vector<int> seen(1001);
    long long pairs = 0;
    for (int i = 0, x; i < n && scanf("%d", &x) == 1; i++) pairs += seen[x]++;
    printf("%lld\\n", pairs);
}
"""
CANDIDATES = {
    "map": MAP,
    "sorted": FRAME % "sort(a.begin(), a.end());"
    " for (int i = 1, run = 0; i < n; i++) pairs += run = a[i] == a[i - 1] ? run + 1 : 0;",
    "counted": FRAME % "vector<int> seen(1001); for (int x : a) pairs += seen[x]++;",
    "counted_stdio": FAST,
    "backwards": FRAME
    % "for (int i = n; i-- > 0;) for (int j = n; --j > i;) pairs += a[i] == a[j];",
    "wrong": FRAME % "set<int> seen; for (int x : a) pairs += !seen.insert(x).second;",
}


def built(folder: Path, source: str) -> Path:
    """By itself, as a script does it."""
    folder.mkdir(exist_ok=True)
    (folder / "code.cpp").write_text(source)
    command = ["g++", "code.cpp", "-o", "code.out", "--std=c++17", "-O3"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return folder / "code.out"


def output(executable: Path, path: Path) -> bytes:
    with path.open("rb") as file:
        return subprocess.run([executable], stdin=file, capture_output=True, check=True).stdout


def problem(folder: Path, largest: int) -> CppTask:
    """The problem's files in PIE's format, read back."""
    tests, random = folder / "tests" / "pairs", Random(0)
    tests.mkdir(parents=True)
    solution = built(folder / "solution", FAST)
    for number in range(TESTS):
        size = round(largest ** random.uniform(0.3, 1.0))  # as they are: most are small
        values = " ".join(str(random.randint(1, 1000)) for _ in range(size))
        path = tests / f"input.{number}.txt"
        path.write_text(f"{size}\n{values}\n")
        (tests / f"output.{number}.txt").write_bytes(output(solution, path))
    record = {
        "problem_id": "pairs",
        "src_id": "slow",
        "src_code": SLOW,
        "tgt_id": "fast",
        "tgt_code": FAST,
        "tests": list(range(TESTS)),
    }
    (folder / "test.jsonl").write_text(json.dumps(record) + "\n")
    (task,) = load_pie(folder / "test.jsonl", folder / "tests")
    return task


def pie(source: str, tests: Path, folder: Path, builds: int) -> dict[str, float]:
    """Seconds of each part of PIE's way; ``build_for_test`` is the mean of so many."""
    inputs = [tests / f"input.{number}.txt" for number in range(TESTS)]
    expected = [(tests / f"output.{number}.txt").read_bytes() for number in range(TESTS)]
    began = time.monotonic()
    executable = built(folder / "checked", source)
    seconds = {"build": time.monotonic() - began}
    began = time.monotonic()
    outputs = [output(executable, path) for path in inputs]
    pairs = zip(expected, outputs, strict=True)
    right = all(CHECKER.difference(*pair) is None for pair in pairs)
    seconds["check"] = time.monotonic() - began
    if not right:
        return seconds
    began = time.monotonic()
    for path in inputs[:builds]:
        built(folder / "of_test", f"{source}// {path}\n")
    seconds["build_for_test"] = (time.monotonic() - began) / builds
    began = time.monotonic()
    for path in inputs:
        for _ in range(RUNS):
            output(executable, path)
    seconds["timed_runs"] = time.monotonic() - began
    return seconds


def judged(executor: CppExecutor, task: CppTask, source: str) -> dict[str, Any]:
    evaluation = executor.evaluate(task, Program.of(source))
    found: dict[str, Any] = {"status": str(evaluation.status), "seconds": evaluation.seconds}
    if evaluation.ok:
        found["speedup"] = evaluation.reward
        found["rounds"] = len(evaluation.measurements[0].samples)
    return found


def candidates(folder: Path, largest: int, builds: int) -> dict[str, Any]:
    """All candidates with inputs of up to ``largest`` numbers."""
    task, tests = problem(folder, largest), folder / "tests" / "pairs"
    rows: list[dict[str, Any]] = []
    with CppExecutor(cache=BuildCache(folder / "cache")) as executor:
        prepared = executor.prepare(task)
        for candidate, source in CANDIDATES.items():
            ours = judged(executor, task, source)
            theirs = pie(source, tests, folder, builds)
            rows.append({"candidate": candidate, "ours": ours, "pie": theirs})
            print(rows[-1], flush=True)
    right = [row for row in rows if row["ours"]["status"] == "ok"]
    step_1_and_runs = ("build", "check", "timed_runs")
    shared = [sum(row["pie"][part] for part in step_1_and_runs) for row in right]
    pie_way = [
        alone + TESTS * row["pie"]["build_for_test"]
        for alone, row in zip(shared, right, strict=True)
    ]
    return {
        "largest_input": largest,
        "baseline": {"prepared_in_seconds": prepared.seconds, "note": prepared.note},
        "median_seconds_a_candidate": {
            "ours": median(row["ours"]["seconds"] for row in right),
            "pie": median(pie_way),
            "pie_shared_build": median(shared),
        },
        "candidates": rows,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--built", type=int, default=5, metavar="TESTS")
    given = parser.parse_args()
    taken_on = machine()
    inputs: dict[str, Any] = {}
    for name, largest in LARGEST.items():
        with tempfile.TemporaryDirectory() as scratch:
            inputs[name] = candidates(Path(scratch), largest, given.built)
        figures = {"tests": TESTS, "builds_timed": given.built, "inputs": inputs}
        load = round(os.getloadavg()[0], 2)
        save("judging_pie", {**figures, "load_at_end": load}, taken_on)


if __name__ == "__main__":
    main()
