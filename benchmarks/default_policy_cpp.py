"""Forms of MaxCode's loop on C++ examples with the offline generator.

As benchmarks/default_policy.py compares them on simulated tasks, but here a verdict takes a second,
so a program has one, which all runs of all forms share and which is kept in a file. To be cheap it
is a plain one: the program is built with the headers precompiled, runs three times on all tests
with limits and no isolation (the generator rearranges the example's own code), its outputs are
checked, and its score is the quickest pass of the baseline over its quickest, in processor time.
Searches promote by scores that differ by 5 %, and what a form found counts by the same scores:
forms differ by what they found and by nothing that was measured, but speedups are those of best
scores, which luck flatters a little.

One run of each form on each example and seed, to the largest budget; what it had by the smaller
ones is read off its journal. A journal is a file of its own and counts once it is whole, so that
the command goes on where it was ended. Ratios are to the form named first, paired by example and
seed; intervals are 95 %, by Student's t on logarithms over those pairs.

Usage: python benchmarks/default_policy_cpp.py FOLDER [--seconds 1100] [--examples a,b] [--seeds 3]
           [--evaluations 256] [--save NAME] [POLICY...]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from common import ROOT, machine, save
from default_policy import BUDGETS, ratio

from maxcode import Budget, Journal, Options, Program, RewriteGenerator, Search
from maxcode.cli.plugins import make_policy
from maxcode.errors import PluginError
from maxcode.evaluation import Baseline, Comparison, Evaluation, Interval, Measurement, Status
from maxcode.interfaces import Executor
from maxcode.journal.state import RunState
from maxcode.measure.statistics import Floats, holm
from maxcode.task import Task
from maxcode.tasks.cpp import CppTask, load_cpp_folder

EXAMPLES = "prime_sieve,matrix_product,grid_search"
COMMON = ROOT / "examples" / "cpp" / "prime_sieve"
FORMS = (
    "maxcode-greedy:k=8",
    "maxcode-greedy:k=2",
    "maxcode-greedy:k=1",
    "maxcode:k=8,then=stay",
    "maxcode:k=2,then=stay",
    "maxcode:k=1,then=stay",
    "maxcode:k=2,stall=8,then=best",
)
PASSES = 3
MARGIN = 0.05  # what a score has to gain by, relatively, for its program to be the best


class OutOfTimeError(Exception):
    """The seconds that may be spent are spent."""


@dataclass
class Known:
    """Verdicts by task and program, in a file with a line each."""

    path: Path

    def __post_init__(self) -> None:
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.lines: dict[tuple[str, str, str], dict[str, Any]] = {}
        for line in lines:
            one = json.loads(line)
            self.lines[one["kind"], one["task"], one["program"]] = one

    def keep(self, kind: str, task: Task, program: Program, **found: Any) -> None:
        one = {"kind": kind, "task": task.name, "program": program.digest, **found}
        self.lines[kind, task.name, program.digest] = one
        with self.path.open("a") as file:
            file.write(json.dumps(one) + "\n")

    def of(self, kind: str, task: Task, program: Program) -> dict[str, Any] | None:
        return self.lines.get((kind, task.name, program.digest))


class Plain(Executor):
    """Gives the verdict that is known, else builds and runs a program, and keeps what it found."""

    def __init__(self, known: Known, folder: Path, deadline: float) -> None:
        self.known, self.folder, self.deadline = known, folder, deadline
        header = folder / "all.h"
        header.write_text("#include <bits/stdc++.h>\n")
        self._compile(header, Path(f"{header}.gch"))

    def prepare(self, task: Task) -> Baseline:
        seconds = self._verdict(task, task.baseline)["seconds"]
        return Baseline((Measurement("cpu", "s", (seconds,)),))

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        found = self._verdict(task, program)
        if found["status"] != "ok":
            return Evaluation(Status(found["status"]), feedback=found["feedback"])
        speedup = self._verdict(task, task.baseline)["seconds"] / found["seconds"]
        bounds = speedup * (1 - MARGIN), speedup * (1 + MARGIN)
        return Evaluation(Status.OK, Interval(speedup, *bounds))

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        ours, theirs = (self.evaluate(task, one) for one in (a, b))
        if not (ours.ok and theirs.ok):
            return Comparison(None, problem="a program failed")
        value = ours.reward / theirs.reward
        return Comparison(Interval(value, value * (1 - MARGIN), value * (1 + MARGIN)))

    def _verdict(self, task: Task, program: Program) -> dict[str, Any]:
        found = self.known.of("score", task, program)
        if found is None:
            self.check_time()
            assert isinstance(task, CppTask)
            began = time.monotonic()
            try:
                path, seconds = self._build(task, program), []
                for _ in range(PASSES):
                    problem, taken = self._pass(task, path)
                    seconds.append(taken)
                    if problem:
                        break
                status = "wrong_answer" if problem else "ok"
                found = {"status": status, "feedback": problem, "seconds": min(seconds)}
            except subprocess.CalledProcessError as error:
                found = {"status": "build_error", "feedback": error.stderr[-300:], "seconds": 0.0}
            self.known.keep("score", task, program, **found, took=time.monotonic() - began)
        return found

    def check_time(self) -> None:
        """Raise :class:`OutOfTimeError` once the seconds are spent."""
        if time.monotonic() > self.deadline:
            raise OutOfTimeError

    def _build(self, task: CppTask, program: Program) -> Path:
        path = self.folder / f"{program.digest}.out"
        if not path.exists():
            folder = self.folder / program.digest
            folder.mkdir(exist_ok=True)
            for name, text in program.files.items():
                (folder / name).write_text(text)
            self._compile(folder / program.entry, path, *task.judging.flags)
        return path

    def _compile(self, source: Path, path: Path, *flags: str) -> None:
        flags = flags or load_cpp_folder(COMMON).judging.flags
        included = () if source.suffix == ".h" else ("-include", str(self.folder / "all.h"))
        command = ["g++", *flags, *included, str(source), "-o", str(path)]
        subprocess.run(command, check=True, capture_output=True, text=True)

    def _pass(self, task: CppTask, path: Path) -> tuple[str, float]:
        """What is wrong in a pass over all tests, and the processor seconds that it took."""
        total = 0.0
        for test in task.tests:
            given, output = self.folder / "input", self.folder / "output"
            given.write_bytes(test.input)
            with given.open("rb") as stdin, output.open("wb") as stdout:
                process = subprocess.Popen(
                    ["timeout", "20", str(path)], stdin=stdin, stdout=stdout, stderr=stdout
                )
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            total += usage.ru_utime + usage.ru_stime
            difference = task.judging.checker.difference(test.expected, output.read_bytes())
            if process.returncode or difference:
                return f"test {test.name}: exit {process.returncode}, {difference}", total
        return "", total


@dataclass(frozen=True)
class Run:
    """A form on an example with a seed, and where its journal is."""

    example: str
    seed: int
    policy: str
    path: Path

    def make(self, executor: Executor, evaluations: int) -> None:
        """Search, and keep the journal if it came to its end."""
        task = load_cpp_folder(ROOT / "examples" / "cpp" / self.example)
        begun = self.path.with_suffix(".begun")
        begun.unlink(missing_ok=True)
        with Journal.open(str(begun)) as journal:
            Search(
                task,
                generator=RewriteGenerator(),
                executor=executor,
                policy=make_policy(self.policy),
                budget=Budget(evaluations=evaluations),
                journal=journal,
                options=Options(seed=self.seed, threads=1, fuzz=0, minimise=0.0),
            ).run()
        begun.replace(self.path)

    def found(self, budgets: Sequence[int]) -> tuple[CppTask, dict[int, Program], int]:
        """The best program by each budget, and how many evaluations there were."""
        task = load_cpp_folder(ROOT / "examples" / "cpp" / self.example)
        with Journal.open(str(self.path), create=False) as journal:
            tree = RunState.load(journal.run("last")).tree
            judged = [step.id for step in tree if step.parent is not None and not step.duplicate_of]
            by = {step_id: number for number, step_id in enumerate(judged, 1)}
            best = {
                budget: [
                    tree[step_id].program
                    for step_id, _ in tree.incumbents
                    if by.get(step_id, 0) <= budget
                ][-1]
                for budget in budgets
            }
        return task, best, len(judged)


def runs(folder: Path, arguments: argparse.Namespace, policies: Sequence[str]) -> Iterator[Run]:
    """Seeds in turn, so that what there is when time is up can be compared."""
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    for seed, example, policy in product(seeds, arguments.examples.split(","), policies):
        name = re.sub(r"[^\w.-]+", "_", f"{example}-{policy}-{arguments.evaluations}-{seed}")
        yield Run(example, seed, policy, folder / f"{name}.db")


def table(rows: Sequence[dict[str, Any]], policies: Sequence[str], budget: int) -> Iterator[Any]:
    """Each form at a budget, over the first, on the pairs that all forms have."""
    pairs = [
        {(row["example"], row["seed"]) for row in rows if row["policy"] == policy}
        for policy in policies
    ]
    common = sorted(set.intersection(*pairs))

    def logs(policy: str) -> Floats:
        own = {(r["example"], r["seed"]): r for r in rows if r["policy"] == policy}
        return np.log([own[pair]["speedups"][str(budget)] for pair in common])

    found = [ratio(logs(policy) - logs(policies[0])) for policy in policies]
    corrected = [1.0, *holm([p for _, p in found[1:]])]
    for policy, (over, _), q in zip(policies, found, corrected, strict=True):
        mean = round(float(np.exp(logs(policy).mean())), 3)
        yield {
            "budget": budget,
            "policy": policy,
            "pairs": len(common),
            "geometric_mean": mean,
            "over_first": over,
            "corrected": round(q, 4),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of journals and verdicts")
    parser.add_argument("policies", nargs="*", metavar="POLICY")
    parser.add_argument("--examples", default=EXAMPLES)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--evaluations", type=int, default=max(BUDGETS))
    parser.add_argument("--seconds", type=float, default=1100.0, help="for runs, then figures")
    parser.add_argument("--save", metavar="NAME", default="")
    arguments = parser.parse_args()
    policies = arguments.policies or FORMS
    budgets = [budget for budget in BUDGETS if budget <= arguments.evaluations]
    taken_on, started = machine(), time.monotonic()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    known, rows = Known(arguments.folder / "verdicts.jsonl"), []
    with ExitStack() as stack:
        builds = stack.enter_context(tempfile.TemporaryDirectory())
        executor = Plain(known, Path(builds), started + arguments.seconds)
        wanted = list(runs(arguments.folder, arguments, policies))
        try:
            for run in wanted:
                if not run.path.exists():
                    executor.check_time()
                    run.make(executor, arguments.evaluations)
                    said = f"{run.path.stem}, {len(known.lines)} verdicts"
                    print(f"{time.monotonic() - started:.0f} s: {said}", flush=True)
        except (OutOfTimeError, PluginError):
            if time.monotonic() < executor.deadline:
                raise
            print("out of time: the same command goes on; figures are of what there is")
        for run in wanted if arguments.save else ():
            if run.path.exists():
                task, best, spent = run.found(budgets)
                speedups = {
                    str(b): round(executor.evaluate(task, one).reward, 4) for b, one in best.items()
                }
                row = {"example": run.example, "seed": run.seed, "policy": run.policy}
                rows.append({**row, "evaluations": spent, "speedups": speedups})
    if not arguments.save or len({row["policy"] for row in rows}) < len(policies):
        return
    over_all = [one for budget in budgets for one in table(rows, policies, budget)]
    for one in over_all:
        print(one)
    scores = [line for line in known.lines.values() if line["kind"] == "score"]
    record = {
        "command": "python benchmarks/default_policy_cpp.py FOLDER "
        f"--examples {arguments.examples} --seeds {arguments.seeds} --save {arguments.save}",
        "generator": "rewrite",
        "shown": "what the policy shows by itself; no critic",
        "passes": PASSES,
        "verdicts": len(scores),
        "seconds_of_verdicts": round(sum(line["took"] for line in scores)),
        "policies": list(policies),
        "over_all": over_all,
        "runs": rows,
    }
    save(arguments.save, record, taken_on)


if __name__ == "__main__":
    main()
