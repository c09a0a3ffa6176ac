"""What judging a project costs beyond its own commands: copies, sandboxes, what is read and kept.

    python benchmarks/overhead_projects.py [--rounds 8] [--candidates 5]

The same candidates, which differ from the original in a comment, are judged twice: by hand, in a
folder (built on top of what was there, tested, and as many benchmark processes as a verdict takes
of the candidate and of the original), and by ``ProjectExecutor``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

from common import ROOT, machine, save

from maxcode.executors.project.executor import ProjectExecutor
from maxcode.measure.lane import timing_processors
from maxcode.measure.rounds import Plan
from maxcode.measure.statistics import repetitions
from maxcode.program import Program
from maxcode.tasks.project import ProjectTask, load_project_folder

PROJECTS = {"wordfreq": "src/table.c", "spelling": "spelling/distance.py", "ledger": "src/csv.cpp"}


def judged(name: str, path: str, rounds: int, candidates: int) -> dict[str, Any]:
    """The figures of one project, in seconds a candidate."""
    task = load_project_folder(ROOT / "examples" / "projects" / name)
    longer = tuple(" && ".join([command] * 4) for command in task.commands.bench)
    task = replace(task, commands=replace(task.commands, bench=longer))  # one process a sample
    comment = "# {}\n" if path.endswith(".py") else "/* {} */\n"
    programs = [
        task.baseline.with_file(path, task.baseline.files[path] + comment.format(number))
        for number in range(candidates)
    ]
    with ProjectExecutor(score=Plan(least=rounds, most=rounds, seconds=600.0)) as executor:
        shortest = min(one.median for one in executor.prepare(task).measurements)
        if repetitions(shortest) != 1:
            raise SystemExit(f"{name}: {shortest:.3f} s are too short to be one sample")
        sandboxed = [executor.evaluate(task, program) for program in programs]
    if wrong := [one for one in sandboxed if not one.ok]:
        raise SystemExit(f"{name}: {wrong[0]}")
    by_hand = in_a_folder(task, programs, path, 2 * rounds)
    ours, theirs = median(one.seconds for one in sandboxed), median(by_hand)
    return {
        "benchmark_processes": 2 * rounds * len(task.commands.bench),
        "by_hand": round(theirs, 3),
        "judged": round(ours, 3),
        "overhead": round(ours / theirs - 1, 3),
        "each_by_hand": [round(one, 3) for one in by_hand],
        "each_judged": [round(one.seconds, 3) for one in sandboxed],
    }


def in_a_folder(task: ProjectTask, programs: list[Program], path: str, times: int) -> list[float]:
    """Seconds that each takes: build, test, and every benchmark command so many times."""
    commands, took = task.commands, []
    with tempfile.TemporaryDirectory(prefix="maxcode-by-hand-") as scratch:
        folder = Path(scratch, "project")
        shutil.copytree(task.folder, folder)
        own = dict(task.bounds.environment)
        variables = {key: value.replace("/tmp/project", str(folder)) for key, value in own.items()}  # noqa: S108
        tools = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # past what chooses a python
        environment = {**os.environ, "PATH": tools, **variables}

        def run(command: str) -> None:
            command = command.replace("{jobs}", str(os.cpu_count()))
            subprocess.run(
                ["/bin/sh", "-c", command],
                cwd=folder,
                env=environment,
                check=True,
                capture_output=True,
            )

        run(commands.setup or "true")
        run(commands.build or "true")
        everywhere = os.sched_getaffinity(0)
        for program in programs:
            began = monotonic()
            (folder / path).write_text(program.files[path])
            run(commands.build or "true")
            run(commands.test)
            os.sched_setaffinity(0, timing_processors(task.benchmark.threads))
            for command in commands.bench * times:
                run(command)
            os.sched_setaffinity(0, everywhere)
            took.append(monotonic() - began)
    return took


def main() -> None:
    """Judge the examples, and write what it took."""
    parser = argparse.ArgumentParser(description="Measure the overhead of judging projects.")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--candidates", type=int, default=5)
    given = parser.parse_args()
    taken_on = machine()
    results = {}
    for name, path in PROJECTS.items():
        results[name] = judged(name, path, given.rounds, given.candidates)
        print(name, results[name], flush=True)
    save("overhead_projects", {"rounds": given.rounds, "projects": results}, taken_on)


if __name__ == "__main__":
    main()
