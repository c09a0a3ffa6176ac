"""Which entries of the critics' tables are ever hit by the programs of this repository.

Profiles are taken of the examples' programs, of the solutions beside PIE's, and of the kernels'
candidates; failures are those of the candidates that are meant to fail, and of the hostile suite.
An entry is *hit* where it takes some of a profile or is the first to fit a failure, and *said*
where it is among what the critic says (at least 5 % of a profile, among its first three). What the
critics' own tests have is not counted: it was written for the entries.

Usage: python benchmarks/critic_rules.py [--parts cpp favoured hostile kernels] [--resume]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from common import EXAMPLES, RESULTS, ROOT, machine, save
from rewrite_programs import PROGRAMS

from maxcode import CppExecutor, KernelExecutor, Program
from maxcode.critics.failures import CAUSES, KERNEL_CAUSES, Cause, _said
from maxcode.critics.findings import _MAX_FINDINGS, findings
from maxcode.critics.kernels import OPERATOR_RULES, kernel_findings
from maxcode.critics.rules import REMARKS, RULES, Context
from maxcode.evaluation import Evaluation, Profile, Status
from maxcode.tasks import load_task
from maxcode.tasks.cpp import CppTask, TestCase

sys.path.insert(0, str(ROOT))

PIE = ROOT / "examples" / "pie"
KERNELS = ROOT / "examples" / "kernels"


def listed(table: dict[Status, tuple[Cause, ...]]) -> list[tuple[Status, Cause]]:
    """The entries of a table of causes, in one row."""
    return [(status, entry) for status, entries in table.items() for entry in entries]


class Hits:
    """What was hit, and by what."""

    def __init__(self) -> None:
        self.hit: dict[str, Counter[str]] = defaultdict(Counter)
        self.said: dict[str, Counter[str]] = defaultdict(Counter)
        self.profiles = 0
        self.failures: list[dict[str, str]] = []

    def profile(self, name: str, program: Program, profile: Profile) -> None:
        self.profiles += 1
        if profile.launches is not None:
            for row in profile.functions:
                rule = next(i for i, r in enumerate(OPERATOR_RULES) if r.takes(row))
                self.hit[f"operator {rule}"][name] += 1
            for found in kernel_findings(profile)[:_MAX_FINDINGS]:
                self.said[f"operator {OPERATOR_RULES.index(found.rule)}"][name] += 1
            return
        context = Context(program, profile)
        for line in profile.lines:
            own = line.share - sum(part for _, part in line.library)
            for function, part in [*line.library, ("", max(own, 0.0))]:
                number = next(i for i, r in enumerate(RULES) if r.takes(function, line, context))
                if part > 0:
                    self.hit[f"rule {number}"][name] += 1
        shown = findings(program, profile)[:_MAX_FINDINGS]
        for one in shown:
            self.said[f"rule {RULES.index(one.rule)}"][name] += 1
        kinds = {one.rule.bottleneck for one in shown}
        for number, remark in enumerate(REMARKS):
            if kinds & set(remark.bottlenecks) and re.search(remark.pattern, program.code):
                self.said[f"remark {number}"][name] += 1

    def failure(self, name: str, verdict: Evaluation, *, kernel: bool) -> None:
        feedback = verdict.feedback.strip()
        text = _said(feedback) if verdict.status is Status.BUILD_ERROR else feedback
        tables = {"kernel cause": KERNEL_CAUSES, "cause": CAUSES} if kernel else {"cause": CAUSES}
        fitting = (
            f"{kind} {number}"
            for kind, table in tables.items()
            for number, (status, entry) in enumerate(listed(table))
            if status is verdict.status and re.search(entry.pattern, text)
        )
        self.said[next(fitting)][name] += 1
        self.failures.append(
            {"name": name, "status": str(verdict.status), "feedback": feedback[:200]}
        )


def cpp_programs() -> Iterator[tuple[str, CppTask, Program]]:
    for folder in EXAMPLES:
        task = load_task(folder)
        assert isinstance(task, CppTask)
        yield f"cpp/{folder.name}", task, task.baseline
    for path in sorted((PIE / "slow").glob("*.cpp")):
        tests = tuple(
            TestCase(
                str(number),
                (PIE / "tests" / path.stem / f"input.{number}.txt").read_bytes(),
                (PIE / "tests" / path.stem / f"output.{number}.txt").read_bytes(),
            )
            for number in (0, 5, 14)
        )
        task = CppTask(path.stem, "", Program.of(path.read_text()), tests=tests)
        yield f"pie/{path.stem}/slow", task, task.baseline
        for solution in sorted((PIE / "solutions" / path.stem).glob("*.cpp")):
            yield f"pie/{path.stem}/{solution.stem}", task, Program.of(solution.read_text())


def with_small_tests(task: CppTask) -> CppTask:
    """Without the last test, the largest, which takes long under callgrind."""
    tests = sorted(task.tests, key=lambda test: int(test.name))
    return replace(task, tests=tuple(tests[:-1])) if len(tests) > 3 else task


def cpp(hits: Hits) -> None:
    with CppExecutor() as executor:
        for name, task, program in cpp_programs():
            if name.endswith("wrong"):
                hits.failure(name, executor.evaluate(task, program), kernel=False)
                continue
            profile = executor.profile(with_small_tests(task), program)
            if profile:
                hits.profile(name, program, profile)
            print(name, flush=True)


def favoured(hits: Hits) -> None:
    """The programs that were written in favour of rewrites, not of rules."""
    with CppExecutor() as executor:
        for name, (text, given) in PROGRAMS.items():
            task = CppTask(name, "", Program.of(text), tests=(TestCase("0", given.encode(), b""),))
            checked = replace(task, judging=replace(task.judging, timeout=60.0))
            if profile := executor.profile(checked, task.baseline):
                hits.profile(f"own/{name}", task.baseline, profile)
            print(name, flush=True)


def hostile(hits: Hits) -> None:
    from tests.executors.cpp import _hostile as suite  # noqa: PLC0415 - it is no package of ours

    outcome = suite.judge(suite.load())
    names = {case.hostile: case.name for case in suite.load()}
    for program, verdict in outcome.verdicts.items():
        if not verdict.ok:
            hits.failure(f"hostile/{names.get(program, 'twin')}", verdict, kernel=False)


def kernels(hits: Hits) -> None:
    with KernelExecutor() as executor:
        for folder in sorted(KERNELS.glob("*/candidates")):
            task = load_task(folder.parent)
            for path in sorted(folder.glob("*.py")):
                name = f"kernels/{folder.parent.name}/{path.stem}"
                program = Program.of(path.read_text(), task.baseline.entry)
                verdict = executor.evaluate(task, program)
                print(name, verdict.status, flush=True)
                if not verdict.ok:
                    hits.failure(name, verdict, kernel=True)
                elif profile := executor.profile(task, program):
                    hits.profile(name, program, profile)


def entries() -> dict[str, str]:
    said = {
        f"rule {i}": f"{r.bottleneck}: {r.seen} [{r.through or r.code or 'detail'}]"
        for i, r in enumerate(RULES)
    }
    said |= {f"remark {i}": r.pattern for i, r in enumerate(REMARKS)}
    said |= {f"operator {i}": f"{r.seen} [{r.pattern}]" for i, r in enumerate(OPERATOR_RULES)}
    for kind, table in (("cause", CAUSES), ("kernel cause", KERNEL_CAUSES)):
        for number, (status, entry) in enumerate(listed(table)):
            said[f"{kind} {number}"] = f"{status}: {entry.pattern}"
    return said


def main() -> None:
    parts = {"cpp": cpp, "favoured": favoured, "hostile": hostile, "kernels": kernels}
    parser = argparse.ArgumentParser()
    parser.add_argument("--parts", nargs="*", choices=parts, default=list(parts))
    parser.add_argument("--resume", action="store_true", help="add to what was found before")
    arguments = parser.parse_args()
    taken_on = machine()
    hits = Hits()
    kept = RESULTS / "critic_rules.json"
    before = json.loads(kept.read_text()) if arguments.resume else {"parts": [], "entries": {}}
    hits.profiles, hits.failures = before.get("profiles", 0), before.get("failures", [])
    for key, row in before["entries"].items():
        hits.hit[key].update(row["hit"])
        hits.said[key].update(row["said"])
    for part in arguments.parts:
        parts[part](hits)
        rows: dict[str, Any] = {
            key: {"entry": text, "hit": dict(hits.hit[key]), "said": dict(hits.said[key])}
            for key, text in entries().items()
        }
        figures = {
            "parts": [*before["parts"], *arguments.parts],
            "profiles": hits.profiles,
            "failures": hits.failures,
            "never": [k for k, row in rows.items() if not row["hit"] and not row["said"]],
            "entries": rows,
        }
        save("critic_rules", figures, taken_on)


if __name__ == "__main__":
    main()
