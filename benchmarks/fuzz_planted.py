"""Wrong programs that pass their examples: how many the comparison on further inputs catches, how
many correct twins it accuses, and how long a promotion takes.

For each problem inputs are learned from its three to five examples, 500 are validated by the
correct program (at -O1, and at -O0 with checks of undefined behaviour, equal outputs), and every
other program is compared on them. A wrong program counts if it passes the examples. Kinds of
mistakes are in planted/problem.py.

Usage: python benchmarks/fuzz_planted.py [--seed N] [--workers N] [--only NAME]...
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from common import machine, save
from planted import PROBLEMS
from planted.problem import HEADER, KINDS, Problem

from maxcode.fuzz import Differential, InputModel, Outcome, Shrinking, ValidatedInputs
from maxcode.sandbox import BubblewrapSandbox, Completed, Files, Limits
from maxcode.sandbox.base import SharedRun

INPUTS, BEYOND = 500, 250  # within what the examples show, and beyond it, as before a promotion
FLAGS = ["-std=c++17", "-O1", "-w"]
CHECKED = ["-std=c++17", "-O0", "-w", "-D_GLIBCXX_ASSERTIONS"]
CHECKED += ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
SECONDS = 1.0  # of one run of the correct program; inputs that take it longer do not count
SLOWEST = 10.0  # of one run of another, which may be slower without being wrong
CACHE = Path.home() / ".cache" / "maxcode-benchmarks" / "planted"


Command = tuple[str, ...]


def _with_return(source: str) -> str:
    """``main`` as a function that may be called."""
    head, brace, _ = source.rstrip().rpartition("}")
    return head.replace("int main() {", "int run() {") + "return 0; " + brace


class Programs:
    """Builds programs, once each, and runs them on many inputs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sandbox = BubblewrapSandbox()
        (folder / "inputs").mkdir(parents=True, exist_ok=True)

    def build(self, sources: Sequence[str], flags: Sequence[str] = FLAGS) -> list[Command]:
        """All sources in one executable, which takes long to build only once.

        Each is a namespace of its own, and the first argument says whose ``main`` runs.
        """
        code = HEADER + "".join(
            f"namespace program{number} {{\n{_with_return(source)}\n}}\n"
            for number, source in enumerate(sources)
        )
        cases = "".join(f"case {n}: return program{n}::run();\n" for n in range(len(sources)))
        code += f"int main(int, char **argv) {{ switch (atoi(argv[1])) {{ {cases} }} return 1; }}"
        name = hashlib.sha256("\0".join([code, *flags]).encode()).hexdigest()[:24]
        executable = self._folder / name
        if not executable.exists():
            file = executable.with_suffix(".cpp")
            file.write_text(code)
            made = executable.with_suffix(".new")
            subprocess.run(["g++", *flags, str(file), "-o", str(made)], check=True)
            made.rename(executable)
        return [(str(executable), str(number)) for number in range(len(sources))]

    def run(self, command: Command, inputs: Sequence[bytes]) -> list[Completed]:
        """Each run, those after a failed one too."""
        limits = Limits(seconds=SECONDS, memory=1 << 30, output=1 << 20)
        runs = [SharedRun(limits, Files(self._file(data), (Path(command[0]),))) for data in inputs]
        results: list[Completed] = []
        while len(results) < len(runs):
            with closing(self._sandbox.run_each(command, runs[len(results) :])) as ended:
                results += ended
        return results

    def until_failure(
        self, command: Command, inputs: Sequence[bytes], problem: Callable[[int, Completed], str]
    ) -> list[str]:
        """What is wrong with each run, up to the first with which something is."""
        limits = Limits(seconds=SLOWEST, memory=1 << 30, output=1 << 20)
        runs = [SharedRun(limits, Files(self._file(data), (Path(command[0]),))) for data in inputs]
        problems: list[str] = []
        with closing(self._sandbox.run_each(command, runs)) as ended:
            for number, completed in enumerate(ended):
                problems.append(problem(number, completed))
                if problems[-1]:
                    break
        return problems

    def _file(self, data: bytes) -> Path:
        path = self._folder / "inputs" / hashlib.sha256(data).hexdigest()[:24]
        if not path.exists():
            path.write_bytes(data)
        return path


def _programs(programs: Programs, problem: Problem) -> list[Command]:
    """The correct program, its twins, and the wrong ones."""
    wrong = (problem.mutant(wrong) for wrong in problem.wrong)
    return programs.build([problem.source, *problem.twins, *wrong])


class Judge:
    """Compares programs with the correct one of a problem."""

    def __init__(self, programs: Programs, problem: Problem, seed: int) -> None:
        self._programs = programs
        self._builds = [
            programs.build([problem.source], CHECKED)[0],
            *_programs(programs, problem)[:1],
        ]
        self.model = InputModel.learn(problem.examples)
        self._expected = [run.stdout for run in programs.run(self._builds[0], problem.examples)]
        self._examples = problem.examples
        self.pool = ValidatedInputs(self._original, self.model, seed=seed)
        self._beyond = ValidatedInputs(self._original, self.model, seed=seed, beyond=True)

    def _original(self, inputs: Sequence[bytes]) -> list[Outcome]:
        runs = [self._programs.run(build, inputs) for build in self._builds]
        outcomes = []
        for one in zip(*runs, strict=True):
            bad = next((run for run in one if not run.ok or run.flooded), None)
            if bad is not None:
                outcomes.append(Outcome(False, reason=bad.cause))
            elif len({run.stdout for run in one}) > 1:
                outcomes.append(Outcome(False, reason="builds differ"))
            else:
                outcomes.append(Outcome(True, one[0].stdout))
        return outcomes

    def passes_examples(self, command: Command) -> bool:
        problems = self._check(command, self._examples, self._expected)
        return not any(problems)

    def compare(
        self, command: Command, *, shrink: bool = False, beyond: bool = False
    ) -> Differential:
        return (self._beyond if beyond else self.pool).check(
            lambda inputs, expected: self._check(command, inputs, expected),
            count=BEYOND if beyond else INPUTS,
            seconds=60.0,  # enough on a busy machine; the time taken is reported
            shrinking=Shrinking(400 if shrink else 0, 10.0),
        )

    def _check(
        self, command: Command, inputs: Sequence[bytes], expected: Sequence[bytes]
    ) -> list[str]:
        def problem(number: int, completed: Completed) -> str:
            if not completed.ok or completed.flooded:
                return completed.cause
            right = completed.stdout.split() == expected[number].split()
            return "" if right else f"wrong: {completed.stdout[:200]!r}"

        return self._programs.until_failure(command, inputs, problem)


def judge_problem(programs: Programs, problem: Problem, seed: int) -> dict[str, Any]:
    """Everything about one problem."""
    judge = Judge(programs, problem, seed)
    began = time.monotonic()
    judge.pool.fill(INPUTS, 120)
    figures: dict[str, Any] = {
        "model": judge.model.describe(),
        "inputs": len(judge.pool),
        "rejected": judge.pool.rejected,
        "reasons": judge.pool.reasons,
        "seconds_to_fill": round(time.monotonic() - began, 2),
    }
    caught: list[str] = []
    only_beyond: list[str] = []  # of those caught
    missed: list[str] = []
    left_out: list[str] = []
    shrunk: list[tuple[int, int]] = []
    commands = _programs(programs, problem)
    correct = commands[: 1 + len(problem.twins)]
    for number, (wrong, command) in enumerate(
        zip(problem.wrong, commands[len(correct) :], strict=True)
    ):
        name = f"{problem.name} {number}: {wrong.kind}"
        if not judge.passes_examples(command):
            left_out.append(name)
            continue
        result = judge.compare(command, shrink=number % 6 == 0)
        if result.counterexample is None:
            result = judge.compare(command, beyond=True)
            only_beyond += [name] if result.counterexample else []
        (missed if result.counterexample is None else caught).append(name)
        if result.counterexample is not None and number % 6 == 0:
            found = result.counterexample
            shrunk.append((len(found.found), len(found.input)))
    alarms, seconds = [], []
    for number, command in enumerate(correct[1:]):
        results = [judge.compare(command, beyond=beyond) for beyond in (False, True)]
        seconds.append(round(sum(one.seconds for one in results), 2))
        alarms += [
            [number, repr(one.counterexample)[:600]] for one in results if one.counterexample
        ]
    return figures | {
        "caught": caught,
        "only_beyond": only_beyond,
        "missed": missed,
        "left_out": left_out,
        "false_alarms": alarms,
        "promotion_seconds": seconds,
        "shrunk": shrunk,
    }


def print_problem(name: str, one: dict[str, Any]) -> None:
    caught, missed = one["caught"], one["missed"]
    print(
        f"{name}: {len(caught)} of {len(caught) + len(missed)} caught,",
        f"promotions {one['promotion_seconds']} s, {one['inputs']} inputs,",
        f"{one['rejected']} rejected, filled in {one['seconds_to_fill']} s",
        flush=True,
    )
    for wrong in missed:
        print("   missed", wrong)
    for alarm in one["false_alarms"]:
        print("   FALSE ALARM", alarm)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="problems at a time")
    parser.add_argument("--only", action="append", default=[])
    chosen = parser.parse_args()
    taken_on = machine()
    programs = Programs(CACHE)
    problems = [p for p in PROBLEMS if not chosen.only or p.name in chosen.only]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: _programs(programs, one), problems))
        list(pool.map(lambda one: programs.build([one.source], CHECKED), problems))
    began = time.monotonic()
    found = {}
    with ThreadPoolExecutor(chosen.workers) as pool:
        judged = pool.map(lambda one: judge_problem(programs, one, chosen.seed), problems)
        for problem, one in zip(problems, judged, strict=True):
            found[problem.name] = one
            print_problem(problem.name, one)
    every = list(found.values())
    caught = [name for one in every for name in one["caught"]]
    missed = [name for one in every for name in one["missed"]]
    seconds = [s for one in every for s in one["promotion_seconds"]]
    sizes = [pair for one in every for pair in one["shrunk"]]
    kinds = Counter(name.rpartition(": ")[2] for name in caught + missed)
    per_kind = Counter(name.rpartition(": ")[2] for name in caught)
    figures = {
        "seed": chosen.seed,
        "problems": len(problems),
        "wrong_programs": len(caught) + len(missed),
        "left_out_as_they_fail_an_example": sum(len(one["left_out"]) for one in every),
        "caught": len(caught),
        "caught_share": round(len(caught) / max(1, len(caught) + len(missed)), 4),
        "of_those_only_beyond_the_examples": sum(len(one["only_beyond"]) for one in every),
        "by_kind": {kind: f"{per_kind[kind]} of {kinds[kind]}" for kind in KINDS},
        "missed": missed,
        "twins": sum(len(one["promotion_seconds"]) for one in every),
        "false_alarms": [alarm for one in every for alarm in one["false_alarms"]],
        "promotion_seconds_median": median(seconds),
        "promotion_seconds_most": max(seconds),
        "bytes_of_counterexamples_median": [
            median(s[i] for s in sizes or [(0, 0)]) for i in (0, 1)
        ],
        "seconds": round(time.monotonic() - began, 1),
        "by_problem": found,
    }
    for name, figure in figures.items():
        if name != "by_problem":
            print(f"{name:34} {figure}")
    if not chosen.only:
        save("fuzz_planted", figures, taken_on)


if __name__ == "__main__":
    main()
