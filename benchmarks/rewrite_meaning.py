"""Whether rewrites keep what programs mean, all of tests/generators/rewrites/meaning.

    python benchmarks/rewrite_meaning.py [--inputs 100000] [--label now] [--only REWRITE ...]

Every variant that a rewrite makes of one of its programs is run on generated inputs, next to the
program itself; outputs and exit codes are compared. ``--inputs`` counts pairs of runs in total.
``--programs sanitized`` runs the programs alone, a few inputs each, built with the sanitizers
and with variables that nobody set filled with a pattern.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from common import RESULTS, machine, save
from tests.generators.rewrites.meaning._cases import Case, cases, inputs_of
from tests.generators.rewrites.meaning._compare import (
    FLAGS,
    SANITIZED,
    Bench,
    compare,
    named,
    variants,
)

from maxcode.generators.rewrites import catalogue
from maxcode.toolchain.build_cache import BuildCache

NAME = "rewrite_meaning"
# Killed for time, illegal instruction, division, bus, memory: no program here means to end so.
BROKEN = {128 + 24, 128 + 4, 128 + 8, 128 + 7, 128 + 11}


@dataclass(frozen=True, slots=True)
class Job:
    """A program for a rewrite, by its place in the list, and what the rewrite makes of it."""

    rewrite: str
    number: int
    case: Case
    texts: list[str]


@dataclass(frozen=True, slots=True)
class Wrong:
    """A variant that differs; ``given`` if on one of the given inputs, so that tests show it."""

    program: int
    variant: int
    legal: bool
    given: bool
    difference: dict[str, str]


def jobs(only: Iterable[str]) -> list[Job]:
    """All programs of the rewrites asked for, or of all rewrites."""
    names = list(only) or [one.name for one in catalogue()]
    return [
        Job(name, number, case, variants(named(name), case.code))
        for name in names
        for number, case in enumerate(cases(name))
    ]


def compared(bench: Bench, job: Job, count: int) -> tuple[int, list[Wrong]]:
    """How many inputs all variants of a program were run on, and the wrong variants."""
    inputs = inputs_of(job.case, Random(f"{job.rewrite} {job.number}"), count)
    given = [f"{text.rstrip()}\n" for text in job.case.given]
    expected = bench.outcomes(job.case.code, inputs)
    if isinstance(expected, str):
        raise ValueError(f"program {job.number} for {job.rewrite}: {expected}")
    wrong = []
    for number, text in enumerate(job.texts):
        difference = compare(inputs, expected, bench.outcomes(text, inputs))
        if difference:
            early = difference.input == "" or f"{difference.input.rstrip()}\n" in given
            wrong.append(Wrong(job.number, number, job.case.legal, early, asdict(difference)))
    return len(inputs) * len(job.texts), wrong


def examined(bench: Bench, job: Job, count: int, flags: tuple[str, ...]) -> list[str]:
    """What is wrong with the program itself."""
    inputs = inputs_of(job.case, Random(f"{job.rewrite} {job.number}"), count)
    usual = bench.outcomes(job.case.code, inputs)
    ended = bench.outcomes(job.case.code, inputs, flags)
    name = f"{job.rewrite} {job.number}"
    if isinstance(ended, str) or isinstance(usual, str):
        return [f"{name}: {ended[:1500]}"]
    for text, (code, said), (_, printed) in zip(inputs, ended, usual, strict=True):
        if not said.startswith(printed):
            return [f"{name}: depends on the build for {text.decode(errors='replace')!r}"]
        undefined = b"runtime error" in said or b"ERROR: AddressSanitizer" in said
        if code in BROKEN or (undefined and b"AddressSanitizer: ABRT" not in said):
            shown = said.decode(errors="replace")[:900]
            return [f"{name}: status {code} for {text.decode(errors='replace')!r}\n{shown}"]
    return []


def summary(found: list[tuple[Job, int, list[Wrong]]]) -> dict[str, Any]:
    """The figures of one rewrite."""
    applied = [job for job, _, _ in found if job.texts]
    legal = [job for job, _, _ in found if job.case.legal]
    wrong = [one for _, _, ones in found for one in ones]
    return {
        "programs": len(found),
        "programs_where_applied": len(applied),
        "legal_programs": len(legal),
        "legal_programs_where_applied": sum(bool(job.texts) for job in legal),
        "variants": sum(len(job.texts) for job in applied),
        "inputs": sum(inputs for _, inputs, _ in found),
        "wrong_variants": len(wrong),
        "wrong_variants_that_pass_given_inputs": sum(not one.given for one in wrong),
        "wrong": [asdict(one) for one in wrong],
    }


def side_by_side(work: Callable[[Job], Any], todo: list[Job]) -> list[Any]:
    """Do the work for all, on as many processors as there are."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(work, todo))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--label", default="now")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--programs", choices=["sanitized", "plain"])
    parser.add_argument("--every", type=int, default=1, help="examine every n-th program only")
    options = parser.parse_args()
    taken_on = machine()
    todo = jobs(options.only)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        bench = Bench(folder, BuildCache())
        if options.programs:
            flags = SANITIZED if options.programs == "sanitized" else FLAGS
            sample = todo[:: options.every]
            said = side_by_side(lambda job: examined(bench, job, 25, flags), sample)
            print(*(line for lines in said for line in lines), sep="\n")
            print(f"{len(sample)} programs examined, {sum(map(bool, said))} complaints")
            return
        todo_now = [job for job in todo if job.texts]
        count = -(-options.inputs // max(1, sum(len(job.texts) for job in todo)))
        results = dict(
            zip(
                ((job.rewrite, job.number) for job in todo_now),
                side_by_side(lambda job: compared(bench, job, count), todo_now),
                strict=True,
            )
        )
    nothing: tuple[int, list[Wrong]] = (0, [])
    figures = {}
    for name in dict.fromkeys(job.rewrite for job in todo):
        own = [job for job in todo if job.rewrite == name]
        figures[name] = summary(
            [(job, *results.get((job.rewrite, job.number), nothing)) for job in own]
        )
        shown = {key: value for key, value in figures[name].items() if key != "wrong"}
        print(f"{name:25}", *shown.values())
    totals = {
        key: sum(one[key] for one in figures.values())
        for key in next(iter(figures.values()))
        if key != "wrong"
    }
    print("total", totals)
    if not options.only:
        path = RESULTS / f"{NAME}.json"
        before = json.loads(path.read_text())["runs"] if path.exists() else {}
        run = {"total": totals, "rewrites": figures}
        save(NAME, {"runs": {**before, options.label: run}}, taken_on)


if __name__ == "__main__":
    main()
