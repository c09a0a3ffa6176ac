"""What judging a project costs beyond its own commands: copies, sandboxes, what is read and kept.

    python benchmarks/overhead_projects.py [--rounds 4] [--candidates 5]

The same candidates, which differ from the original in a comment, are judged twice, in turn: by
``ProjectExecutor``, and by hand, in a folder (built on top of what was there, tested, and as many
benchmark processes as a verdict takes of the candidate and of the original). Both build and test on
the same processors, which are those that nothing is timed on. What the build by hand takes on all
processors is measured, too: that much a search gives up so that it can build and time at once.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

from common import ROOT, machine, save

from maxcode.executors.project.executor import ProjectExecutor
from maxcode.measure.lane import other_processors, timing_processors
from maxcode.measure.rounds import Plan
from maxcode.measure.statistics import repetitions
from maxcode.program import Program
from maxcode.tasks.project import ProjectTask, load_project_folder

PROJECTS = {"wordfreq": "src/table.c", "spelling": "spelling/distance.py", "ledger": "src/csv.cpp"}


@dataclass
class Spent:
    """Seconds that passed, and those that processors worked, of this process and its children."""

    passed: float = 0.0
    worked: float = 0.0

    @contextmanager
    def adding(self) -> Iterator[None]:
        """Add what is spent inside."""
        began, before = monotonic(), _worked()
        yield
        self.passed += monotonic() - began
        self.worked += _worked() - before


def _worked() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


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

    def build_on_all(self, program: Program, path: str) -> float:
        """Seconds of a build that no processor is kept from."""
        spent = Spent()
        self._write(path, program.files[path] + "\n")
        with spent.adding():
            self._run(self._task.commands.build, self._all)
        return spent.passed

    def judge(self, program: Program, path: str, times: int) -> Spent:
        """Build, test, and run every benchmark command so many times."""
        spent, commands = Spent(), self._task.commands
        with spent.adding():
            self._write(path, program.files[path])
            self._run(commands.build, self._others)
            self._run(commands.test, self._others)
            for command in commands.bench * times:
                self._run(command, self._timing)
        return spent

    def _write(self, path: str, text: str) -> None:
        (self._folder / path).write_text(text)

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
    judged, by_hand, on_all = [], [], []
    with (
        tempfile.TemporaryDirectory(prefix="maxcode-by-hand-") as scratch,
        ProjectExecutor(score=Plan(least=rounds, most=rounds, seconds=600.0)) as executor,
    ):
        shortest = min(one.median for one in executor.prepare(task).measurements)
        if repetitions(shortest) != 1:
            raise SystemExit(f"{name}: {shortest:.3f} s are too short to be one sample")
        hand = ByHand(task, Path(scratch))
        for program in programs:
            spent = Spent()
            with spent.adding():
                verdict = executor.evaluate(task, program)
            if not verdict.ok:
                raise SystemExit(f"{name}: {verdict}")
            judged.append(replace(spent, passed=verdict.seconds))  # without waiting for others
            on_all.append(hand.build_on_all(program, path))
            by_hand.append(hand.judge(program, path, 2 * rounds))
    judged, by_hand, on_all = judged[1:], by_hand[1:], on_all[1:]  # the first one imports modules
    return {
        "benchmark_processes": 2 * rounds * len(task.commands.bench),
        **_compared(judged, by_hand, "passed"),
        "processors": _compared(judged, by_hand, "worked"),
        "build_by_hand_on_all_processors": round(median(on_all), 3),
    }


def _compared(judged: Sequence[Spent], by_hand: Sequence[Spent], what: str) -> dict[str, Any]:
    ours, theirs = ([getattr(one, what) for one in side] for side in (judged, by_hand))
    return {
        "by_hand": round(median(theirs), 3),
        "judged": round(median(ours), 3),
        "overhead": round(median(a / b for a, b in zip(ours, theirs, strict=True)) - 1, 3),
        "each_by_hand": [round(one, 3) for one in theirs],
        "each_judged": [round(one, 3) for one in ours],
    }


def main() -> None:
    """Judge the examples, and write what it took."""
    parser = argparse.ArgumentParser(description="Measure the overhead of judging projects.")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--candidates", type=int, default=5)
    given = parser.parse_args()
    taken_on = machine()
    results = {}
    for name, path in PROJECTS.items():
        results[name] = figures(name, path, given.rounds, given.candidates)
        print(name, results[name], flush=True)
    taken_on["load_at_end"] = round(os.getloadavg()[0], 2)
    save("overhead_projects", {"rounds": given.rounds, "projects": results}, taken_on)


if __name__ == "__main__":
    main()
