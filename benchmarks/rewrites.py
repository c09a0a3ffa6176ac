"""What every offline rewrite gains alone, on the programs of the examples.

Each rewrite is applied to each program in full (all its places), and where that fails, place by
place. What it gives is built with the task's flags and run on all tests; if it prints what is
expected, it is judged by

* instructions, counted by valgrind on one test of moderate size: exact, whatever the load;
* where those do not show a gain, processor time, user and system, of pairs of runs on that test, in
  turns and random order, with the interval of :func:`maxcode.measure.statistics.ratio` (95 %):
  instructions do not show what the kernel does (flushes), nor what memory and division cost.

Five rewrites apply to nearly every program; they are tried on four of the examples, and by time.

A rewrite *gains* on a program where either ratio is at least 1.02, and for time the interval's
lower end is above 1 as well. ``programs`` has the raw figures; ratios above 1 are gains.

Usage: python benchmarks/rewrites.py [--pairs 7] [--jobs 2] [--resume] [--only PROGRAM ...]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from common import EXAMPLES, RESULTS, ROOT, machine, save

from maxcode.generators.rewrites import CppSource, catalogue
from maxcode.measure.statistics import ratio

PIE = ROOT / "examples" / "pie"
FLAGS = ("-O3", "-std=c++17", "-w")
LEAST = 1.02
SAMPLED = ("cpp/word_count", "cpp/big_sums", "cpp/matrix_product", "cpp/nearest_pairs")
LONGEST = 0.15  # processor seconds that the test may take by which a rewrite is judged
EVERYWHERE = (
    *("block-input", "unsync-streams"),
    *("fast-math-pragma", "target-pragma", "unroll-pragma"),
)
VALGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
_COUNT = re.compile(r"I +refs: +([\d,]+)")


@dataclass(frozen=True)
class Test:
    """An input, and what the program prints for it."""

    given: bytes
    expected: bytes


@dataclass(frozen=True)
class Subject:
    """A program with its tests."""

    name: str
    text: str
    tests: Sequence[Test]


def subjects() -> list[Subject]:
    found = [
        Subject(f"cpp/{folder.name}", (folder / "main.cpp").read_text(), tests_of(folder))
        for folder in EXAMPLES
    ]
    for path in sorted((PIE / "slow").glob("*.cpp")):
        folder = PIE / "tests" / path.stem
        tests = [
            Test(
                (folder / f"input.{number}.txt").read_bytes(),
                (folder / f"output.{number}.txt").read_bytes(),
            )
            for number in range(20)
        ]
        found.append(Subject(f"pie/{path.stem}", path.read_text(), tests))
    return found[::-1]  # the quick ones first


def tests_of(folder: Path) -> list[Test]:
    return [
        Test(path.read_bytes(), path.with_suffix(".out").read_bytes())
        for path in sorted((folder / "tests").glob("*.in"))
    ]


class Bench:
    def __init__(self, scratch: Path, pairs: int) -> None:
        self.scratch = scratch
        self.pairs = pairs
        self.built = 0
        self.rng = Random(2026)

    def build(self, text: str) -> tuple[Path | None, str]:
        self.built += 1
        source = self.scratch / f"p{self.built}.cpp"
        source.write_text(text)
        binary = source.with_suffix("")
        command = ["g++", *FLAGS, "-o", str(binary), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return (binary, "") if done.returncode == 0 else (None, done.stderr[:300])

    def output(self, binary: Path, given: bytes) -> bytes | None:
        try:
            done = subprocess.run(
                [binary], input=given, capture_output=True, timeout=60, check=False
            )
        except subprocess.TimeoutExpired:
            return None
        return done.stdout if done.returncode == 0 else None

    def seconds(self, binary: Path, given: Path) -> float:
        """Processor time, user and system."""
        with given.open("rb") as source:
            child = subprocess.Popen([binary], stdin=source, stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
        assert status == 0
        return used.ru_utime + used.ru_stime

    def instructions(self, binary: Path, given: bytes) -> int:
        command = [*VALGRIND, str(binary)]
        done = subprocess.run(command, input=given, capture_output=True, check=False)
        found = _COUNT.search(done.stderr.decode("utf-8", "replace"))
        return int(found[1].replace(",", "")) if found and done.returncode == 0 else 0

    def measure(self, subject: Subject) -> dict[str, Any]:
        started = time.monotonic()
        base, errors = self.build(subject.text)
        assert base, errors
        tests = subject.tests
        path = self.scratch / "given"
        took: dict[bytes, float] = {}
        for test in tests:
            path.write_bytes(test.given)
            took[test.given] = self.seconds(base, path)
        fitting = [one for one in took if took[one] <= LONGEST]
        given = max(fitting or [min(took, key=took.__getitem__)], key=took.__getitem__)
        count = self.instructions(base, given)
        path.write_bytes(given)
        found: dict[str, Any] = {}
        for rewrite in catalogue(guesses=True):
            everywhere = rewrite.name in EVERYWHERE
            if everywhere and subject.name not in SAMPLED:
                continue
            texts = list(rewrite.apply(CppSource(subject.text)))
            if texts:
                found[rewrite.name] = self._best(texts, base, tests, count, path, timed=everywhere)
        print(f"{subject.name}: {time.monotonic() - started:.0f} s", flush=True)
        return {"instructions": count, "seconds": took[given], "rewrites": found}

    def _best(
        self,
        texts: Sequence[str],
        base: Path,
        tests: Sequence[Test],
        count: int,
        given: Path,
        *,
        timed: bool,
    ) -> dict[str, Any]:
        """The first application that is right, in full or of a single place."""
        said = ""
        for number, text in enumerate(texts[:4]):
            binary, said = self.build(text)
            if binary is None:
                said = f"does not build: {said}"
                continue
            if not all(same(self.output(binary, test.given), test.expected) for test in tests):
                said = "prints something else on the tests"
                continue
            new = self.instructions(binary, given.read_bytes())
            fewer = round(count / new, 4) if new else None
            found: dict[str, Any] = {"application": number + 1, "instructions_ratio": fewer}
            return found | (
                self._times(base, binary, given) if timed or (fewer or 0) < LEAST else {}
            )
        return {"failed": said}

    def _times(self, base: Path, binary: Path, given: Path) -> dict[str, Any]:
        ours, theirs = list[float](), list[float]()
        for _ in range(self.pairs):
            for side, into in self.rng.sample([(base, theirs), (binary, ours)], 2):
                into.append(max(self.seconds(side, given), 1e-4))
        times = ratio(theirs, ours)
        return {
            "time_ratio": round(times.value, 4),
            "time_low": round(times.low, 4),
            "time_high": round(times.high, 4),
            "seconds_before": [round(x, 4) for x in theirs],
            "seconds_after": [round(x, 4) for x in ours],
        }


def same(printed: bytes | None, expected: bytes) -> bool:
    """Equal tokens, numbers within 1e-6."""
    if printed is None:
        return False
    a, b = printed.split(), expected.split()
    return len(a) == len(b) and all(x == y or _close(x, y) for x, y in zip(a, b, strict=True))


def _close(x: bytes, y: bytes) -> bool:
    try:
        return abs(float(x) - float(y)) <= 1e-6 * max(1.0, abs(float(y)))
    except ValueError:
        return False


def gains(one: dict[str, Any]) -> bool:
    if "failed" in one:
        return False
    by_count = (one["instructions_ratio"] or 0) >= LEAST
    return by_count or (one.get("time_ratio", 0) >= LEAST and one["time_low"] > 1)


def table(programs: dict[str, Any]) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for rewrite in catalogue(guesses=True):
        name = rewrite.name
        on = {p: m["rewrites"][name] for p, m in programs.items() if name in m["rewrites"]}
        right = [one for one in on.values() if "failed" not in one]
        rows[name] = {
            "applied_on": len(on),
            "gained_on": sum(map(gains, on.values())),
            "failed_on": sum("failed" in one for one in on.values()),
            "best_instructions_ratio": max(
                (o["instructions_ratio"] or 0 for o in right), default=None
            ),
            "best_time_ratio": max(
                (o["time_ratio"] for o in right if "time_ratio" in o), default=None
            ),
            "worst_time_ratio": min(
                (o["time_ratio"] for o in right if "time_ratio" in o), default=None
            ),
            "gained": [p for p, one in on.items() if gains(one)],
        }
    return rows


def measured(subject: Subject, pairs: int) -> tuple[str, dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="maxcode-") as scratch:
        return subject.name, Bench(Path(scratch), pairs).measure(subject)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--resume", action="store_true", help="keep what was measured before")
    arguments = parser.parse_args()
    taken_on = machine()
    kept = RESULTS / "rewrites.json"
    programs: dict[str, Any] = {}
    if arguments.resume and kept.exists():
        programs = json.loads(kept.read_text())["programs"]
    chosen = [
        one
        for one in subjects()
        if one.name not in programs and (not arguments.only or one.name in arguments.only)
    ]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        work = [pool.submit(measured, one, arguments.pairs) for one in chosen]
        for done in as_completed(work):
            if error := done.exception():
                print(f"failed: {error!r}", flush=True)
                continue
            name, found = done.result()
            programs[name] = found
            figures = {
                "flags": FLAGS,
                "pairs": arguments.pairs,
                "side_by_side": arguments.jobs,
                "gain_from": LEAST,
                "rewrites": table(programs),
                "programs": dict(sorted(programs.items())),
            }
            if not arguments.only:
                save("rewrites", figures, taken_on)
    if arguments.only:
        print(json.dumps(programs, indent=1))


if __name__ == "__main__":
    main()
