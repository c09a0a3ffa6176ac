"""The end of a run in words, for terminals: result, evidence, change, and what may help."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from math import ceil
from typing import NamedTuple

from maxcode.budget import Budget
from maxcode.evaluation import Interval, Measurement, Reason, Status, TimedTest
from maxcode.executors.project.timing import each_benchmark
from maxcode.program import Program
from maxcode.search.changes import hunks
from maxcode.search.result import Result
from maxcode.search.summary import (
    compared,
    ending,
    passed,
    returned_step,
    too_small,
    tried,
    unusable_advice,
    unusable_answers,
)
from maxcode.tasks.project import FLAGS_FILE, TRAINED
from maxcode.text import counted, factor, interval, quantity
from maxcode.tree import ROOT, Step

_HELPER = 24  # lines that are only added in a row, such as a class put before `main`


class Headline(NamedTuple):
    """The speedup in a line: its beginning, whether that is good beyond doubt, and the rest."""

    result: str
    sure: bool
    rest: str


def headline(result: Result) -> Headline:
    """The speedup in a line; where other inputs gain less, their speedup comes first."""
    if not result.improved:
        return Headline(result.task, True, f": {_no_result(result)}")
    given, (least, inputs) = result.speedup, _least(result)
    sure = "confirmed" if result.confirmed else "unconfirmed"
    flags = " by compiler flags alone" if only_flags(result) else ""
    if inputs:
        faster = f"{factor(least.value)} {'faster' if least.value > 1 else '(no faster)'}"
        on_tests = f"{factor(given.value)} on the tests{_readings(result)}"
        rest = f"{flags}, {on_tests}, {sure}: the gain depends on the input"
        return Headline(f"{result.task}: {faster} on {inputs}", False, rest)
    bounds = f"between {factor(given.low)} and {factor(given.high)}"
    start = f"{result.task}: {factor(given.value)} faster"
    return Headline(start, result.confirmed, f"{flags}{_readings(result)}, {bounds}, {sure}")


def _readings(result: Result) -> str:
    """The meter before and after: `` (68 -> 7.3 ms; 12x without start-up)``."""
    if result.measured is None:
        return ""
    before, now = (quantity(one.median, one.unit) for one in result.measured)
    if before.partition(" ")[2] == now.partition(" ")[2]:
        before = before.partition(" ")[0]
    own = result.baseline.without_start(result.speedup.value)
    return f" ({before} -> {now}{f'; {factor(own)} without start-up' if own else ''})"


def _least(result: Result) -> tuple[Interval, str]:
    """The least speedup of tests and other inputs where they disagree, and the name of those."""
    held_out, confirmation = result.held_out, result.tree.confirmation(result.best.id)
    drawn = confirmation.drawn if confirmation else None
    found = [(result.speedup, "")]
    if result.elsewhere and held_out and held_out.ratio:
        found.append((held_out.ratio, counted(held_out.inputs, "unseen input")))
    if drawn and drawn.disagrees and drawn.fresh:
        found.append((drawn.fresh, counted(drawn.inputs, "fresh input")))
    return min(found, key=lambda one: one[0].value)


def safe(result: Result) -> str:
    """The checks of the best program, and warnings that change what to do with it."""
    said, warnings = passed(result.baseline), list(result.baseline.gaps)
    if result.fuzzed:
        said += compared(result.fuzzed)
    held_out = result.held_out
    if held_out and held_out.ratio and not result.elsewhere:
        said += f"; {factor(held_out.ratio.value)} on {held_out.inputs} unseen ones"
    if not result.baseline.isolated:
        warnings.append("not isolated")
    if result.needs:
        warnings.append(f"needs {', '.join(result.needs)}")
    slower = {name: one.value for name, one in each_speedup(result).items() if one.high < 1}
    if slower:
        name, worst = min(slower.items(), key=lambda item: item[1])
        warnings.append(f"slower in {counted(len(slower), 'benchmark')}: {name} {factor(worst)}")
    return "; but ".join([said, "; ".join(warnings)]) if warnings else said


def changed(result: Result) -> str:
    """Files, places and lines of the change, and the words of its steps."""
    before, after = result.tree[ROOT].program, result.program
    found = hunks(without_flags(before), without_flags(after))
    paths = list(dict.fromkeys(hunk.path for hunk in found))
    parts = []
    if flags := after.files.get(FLAGS_FILE, "").split():
        parts.append(f"flags {' '.join(flags)}")
    if found:
        where = paths[0] if len(paths) == 1 else counted(len(paths), "file")
        helpers = [h for h in found if h.start == h.end and len(h.lines) >= _HELPER]
        helping = sum(len(hunk.lines) for hunk in helpers)
        added = sum(len(hunk.lines) for hunk in found) - helping
        lines = f"+{added} -{sum(hunk.end - hunk.start for hunk in found)}"
        lines += f", {helping} more of helpers" if helping else ""
        if result.reduced and result.reduced.program:
            lines += f", reduced from {result.reduced.before}"
        parts.append(f"{where}, {counted(len(found), 'place')} ({lines})")
    return f"{' and '.join(parts)}: {', '.join(_steps(result))}"


def _no_result(result: Result) -> str:
    """The headline of a run without a faster program."""
    if result.status not in ("interrupted", "failed"):
        return result.nothing
    if not result.spent.evaluations:
        return f"{result.status} before any candidate was judged"
    first = result.first_score
    score = f"; the best first score is {factor(first)}, unconfirmed" if first > 1 else ""
    return f"{result.status}, {result.nothing} yet{score}"


def closest(result: Result) -> Step | None:
    """The best step that was judged."""
    steps = list(result.tree)[1:]
    judged = [step for step in steps if step.evaluation.status is not Status.INVALID]
    return max(judged or steps, key=lambda step: step.reward, default=None)


def attempts(result: Result) -> list[tuple[str, str]]:
    """Attempts of a run without a faster program, and remedies."""
    rows = []
    asked = result.spent.evaluations or unusable_answers(result.tree)
    if asked and (best := closest(result)):
        rows.append(("closest", f"{_score(result, best)}: #{best.id} {best.summary}"))
    rows += unusable_answers(result.tree)
    rows += returned_step(result.tree, result.returned)
    if result.spent.evaluations:
        rows.append(("tried", tried(result.spent, result.by_status, result.reducing)))
    if why := ending(result.status, result.reason):
        rows.append(("ended", why))
    if hints := _hints(result):
        rows.append(("try", "; ".join(hints)))
    return rows


def _score(result: Result, step: Step) -> str:
    """A step's speedup as ``show`` has it: by a comparison with the baseline, or else its score."""
    if confirmed := result.tree.confirmed(step.id):
        return f"{interval(confirmed)} confirmed"
    if step.speedup:
        compared = step.standing is not None and step.standing.speedup is not None
        return f"{interval(step.speedup)} when {'compared' if compared else 'first timed'}"
    return step.evaluation.status.replace("_", " ")


def _hints(result: Result) -> list[str]:
    if result.best is not result.tree.best or result.status in ("failed", "interrupted"):
        return []  # there is something faster, or the error says what to mend
    if hints := unusable_advice(result.tree):  # more of the same would not help
        return hints
    spent = result.cause is Reason.BUDGET
    hints = ["a larger budget"] if spent else ["another --seed or --policy"]
    return [*too_small(result.baseline), *hints]


NO_FLAGS = "no flags"
"""Stands in a patch for empty flags in the place of the project's own."""

FLAGS_ALONE = "the flags are in no file of the project: add them to its build"


def patch(result: Result) -> str:
    """The diff to the best program, below a line on each step on its path.

    `patch` and `git apply` pass over such lines. Compiler flags are a line, too: the project has no
    file for those.
    """
    said = _steps(result)
    before, after = result.tree[ROOT].program, result.program
    own, flags = (one.files.get(FLAGS_FILE, "").split() for one in (before, after))
    if flags or own:
        said.append(f"compile with: {' '.join(flags) or NO_FLAGS}")
    if result.needs:
        said.append(f"needs {', '.join(result.needs)}")
    if TRAINED in flags:
        said.append(
            f"{TRAINED} is trained: compile with -fprofile-generate=DIR in its place, run the "
            f"benchmark, and compile all anew with {TRAINED}=DIR -fprofile-partial-training"
        )
    diff = without_flags(before).diff(without_flags(after))
    return "".join(f"# {line}\n" for line in said) + diff


def flags_of(text: str) -> str | None:
    """The compiler flags of a :func:`patch`; None for none."""
    found = re.search(r"^# compile with: (.*)$", text, re.MULTILINE)
    return found[1].strip().replace(NO_FLAGS, "") if found else None


def _steps(result: Result) -> list[str]:
    """Numbers and summaries of the steps from the baseline to the best, a line for each."""
    steps = result.tree.path(result.best.id).steps[1:]
    return [" ".join(f"#{step.id} {step.summary}".split()) for step in steps]


def without_flags(program: Program) -> Program:
    """The files of a project without the file of compiler flags."""
    files = {path: text for path, text in program.files.items() if path != FLAGS_FILE}
    return Program(files, program.entry)


def only_flags(result: Result) -> bool:
    """Whether the best program of a project differs in its compiler flags alone."""
    return result.tree[ROOT].program.changed(result.program) == [FLAGS_FILE]


def benchmarks(result: Result) -> list[TimedTest]:
    """Each benchmark of a project with several: the best, the original, and their ratio.

    By the last comparison of both, else as the best was judged.
    """
    ours, theirs = _sides(result)
    ratios = each_benchmark(ours, theirs, result.speedup.level)
    return [
        TimedTest(one.meter, one.median, other.median, one.unit, ratios[one.meter])
        for one, other in zip(ours, theirs, strict=False)
        if one.meter in ratios
    ]


def _sides(result: Result) -> tuple[Sequence[Measurement], Sequence[Measurement]]:
    """Paired measurements of the best and of the baseline; empty where there are none."""
    verdict, known = result.best.evaluation, result.tree.confirmation(result.best.id)
    if not result.improved or (verdict.against and known is None):
        return (), ()
    return (known.first, known.second) if known else (verdict.measurements, verdict.reference)


def each_speedup(result: Result) -> dict[str, Interval]:
    """The ratio of each benchmark of a project to the original's."""
    return {one.name: one.ratio for one in benchmarks(result)}


def more_budget(result: Result, budget: Budget) -> Budget:
    """A budget for the whole run that buys as much again; reductions count, too."""
    limits = {one.name: getattr(budget, one.name) for one in fields(Budget)}
    known = {name: limit for name, limit in limits.items() if limit is not None}
    more = {name: ceil(getattr(result.spent, name)) + limit for name, limit in known.items()}
    return replace(budget, **more)
