"""Overhead of judging a project over its own commands: copies, sandboxes, reading results.

    python benchmarks/overhead_projects.py [--rounds 4] [--candidates 5]

The same candidates, which differ from the original in a comment, are judged twice, in turn: by
``ProjectExecutor``, and by hand, in a folder (built on top of what was there, tested, and as many
benchmark processes as a verdict takes of the candidate and of the original). Both build and test on
the same processors, which are those that nothing is timed on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

from common import ROOT, options, save

from maxcode.executors.project.executor import ProjectExecutor
from maxcode.measure.lane import other_processors, timing_processors
from maxcode.measure.rounds import Plan
from maxcode.measure.statistics import repetitions
from maxcode.program import Program
from maxcode.tasks.project import ProjectTask, load_project_folder

PROJECTS = {"wordfreq": "src/table.c", "spelling": "spelling/distance.py", "ledger": "src/csv.cpp"}


class ByHand:
    """A copy of a project in a folder, where its commands are run as they are."""

    def __init__(self, task: ProjectTask, scratch: Path) -> None:
        self._task = task
        self._folder = scratch / "project"
        shutil.copytree(task.folder, self._folder)
        own = dict(task.bounds.environment)
        variables = {
            key: value.replace("/tmp/project", str(self._folder))  # noqa: S108
            for key, value in own.items()
        }
        tools = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # past what chooses a python
        self._environment = {**os.environ, "PATH": tools, **variables}
        self._timing = timing_processors(task.benchmark.threads)
        self._others = other_processors(self._timing)
        self._all = tuple(sorted(os.sched_getaffinity(0)))
        self._run(task.commands.setup, self._all)
        self._run(task.commands.build, self._all)

    def judge(self, program: Program, path: str, times: int) -> float:
        """Seconds to build, test, and run every benchmark command so many times."""
        commands, began = self._task.commands, monotonic()
        (self._folder / path).write_text(program.files[path])
        self._run(commands.build, self._others)
        self._run(commands.test, self._others)
        for command in commands.bench * times:
            self._run(command, self._timing)
        return monotonic() - began

    def _run(self, command: str, processors: Sequence[int]) -> None:
        os.sched_setaffinity(0, processors)
        subprocess.run(
            ["/bin/sh", "-c", command.replace("{jobs}", str(len(processors))) or "true"],
            cwd=self._folder,
            env=self._environment,
            check=True,
            capture_output=True,
        )
        os.sched_setaffinity(0, self._all)


def figures(name: str, path: str, rounds: int, candidates: int) -> dict[str, Any]:
    """The figures of one project, in seconds a candidate."""
    task = load_project_folder(ROOT / "examples" / "projects" / name)
    longer = tuple(" && ".join([command] * 4) for command in task.commands.bench)
    task = replace(task, commands=replace(task.commands, bench=longer))  # one process a sample
    comment = "# {}\n" if path.endswith(".py") else "/* {} */\n"
    programs = [
        task.baseline.with_file(path, task.baseline.files[path] + comment.format(number))
        for number in range(candidates + 1)
    ]
    judged, by_hand = [], []
    with (
        tempfile.TemporaryDirectory(prefix="maxcode-by-hand-") as scratch,
        ProjectExecutor(score=Plan(least=rounds, most=rounds, seconds=600.0)) as executor,
    ):
        shortest = min(one.median for one in executor.prepare(task).measurements)
        if repetitions(shortest) != 1:
            raise SystemExit(f"{name}: {shortest:.3f} s are too short to be one sample")
        hand = ByHand(task, Path(scratch))
        for program in programs:
            verdict = executor.evaluate(task, program)
            if not verdict.ok:
                raise SystemExit(f"{name}: {verdict}")
            judged.append(verdict.seconds)  # without waiting for others
            by_hand.append(hand.judge(program, path, 2 * rounds))
    judged, by_hand = judged[1:], by_hand[1:]  # the first one imports modules
    return {
        "benchmark_processes": 2 * rounds * len(task.commands.bench),
        "by_hand": round(median(by_hand), 3),
        "judged": round(median(judged), 3),
        "overhead": round(median(a / b for a, b in zip(judged, by_hand, strict=True)) - 1, 3),
        "each_by_hand": [round(one, 3) for one in by_hand],
        "each_judged": [round(one, 3) for one in judged],
    }


def main() -> None:
    """Judge the examples, and write what it took."""
    given = options(__doc__, rounds=4, candidates=5)
    results = {}
    for name, path in PROJECTS.items():
        results[name] = figures(name, path, given.rounds, given.candidates)
        print(name, results[name], flush=True)
    save("overhead_projects", {"rounds": given.rounds, "projects": results})


if __name__ == "__main__":
    main()
