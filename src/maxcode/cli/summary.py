"""The summary of a run: result, evidence, place of the program, and next commands."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from maxcode.budget import Budget
from maxcode.cli.console import facts, folded, print_diff
from maxcode.cli.progress import named
from maxcode.evaluation import HunkWorth, Interval, Reason, Status
from maxcode.executors.project.timing import each_benchmark
from maxcode.program import Program
from maxcode.redaction import without_password
from maxcode.report.listing import Document, fuzzed_document, held_out_document
from maxcode.search.result import Result
from maxcode.search.summary import (
    described,
    ending,
    evidence,
    hardly_compared,
    hunk_worth,
    model_usage,
    noise,
    reduction,
    returned_step,
    too_small,
    tried,
    unusable_advice,
    unusable_answers,
)
from maxcode.tasks.project import FLAGS_FILE, TRAINED
from maxcode.text import counted, factor, interval
from maxcode.tree import ROOT, Step

Facts = Sequence[tuple[str, str]]
"""Names and their values."""


def print_summary(console: Console, result: Result, path: Path | None, more: Facts = ()) -> None:
    """Print the diff, then the headline.

    A screen gets the diff shortened; a file or pipe gets it whole, for `patch`. ``more`` are
    further facts to print.
    """
    if not result.improved:
        _print_nothing_faster(console, result, more)
        return
    diff = patch(result)
    short = folded(diff) if console.is_terminal else diff
    print_diff(console, short)
    if short != diff:
        console.print(Text("shortened; maxcode show prints it whole", style="dim"))
    console.print()
    console.print(headline(result))
    table = facts(_evidence(result, more))
    for number, step in enumerate(result.tree.path(result.best.id).steps[1:]):
        table.add_row(
            "steps" if number == 0 else "", f"{named(step, 1000)} ({_found(result, step)})"
        )
    console.print(table)
    if path:
        here = Path.cwd()
        saved = path.relative_to(here) if path.is_relative_to(here) else path
        _print_place(console, "saved", str(saved))
        if flags := result.program.files.get(FLAGS_FILE, "").split():
            flagged = " ".join(flags)
            alone = "the only change; " if only_flags(result) else ""
            _print_place(
                console, "flags", f"{flagged} ({alone}no file of the project holds them: add them)"
            )
    _print_place(console, "run", result.run_id)


NO_FLAGS = "no flags"
"""Stands in a patch for empty flags in the place of the project's own."""


def patch(result: Result) -> str:
    """The diff to the best program, below a line on each step on its path.

    `patch` and `git apply` pass over such lines. Compiler flags are a line, too: the project has no
    file for those.
    """
    steps = result.tree.path(result.best.id).steps[1:]
    said = [" ".join(named(step, 1000).split()) for step in steps]
    before, after = result.tree[ROOT].program, result.program
    own, flags = (one.files.get(FLAGS_FILE, "").split() for one in (before, after))
    if flags or own:
        said.append(f"compile with: {' '.join(flags) or NO_FLAGS}")
    if TRAINED in flags:
        said.append(
            f"{TRAINED} is trained: compile with -fprofile-generate=DIR in its place, run the "
            f"benchmark, and compile all anew with {TRAINED}=DIR -fprofile-partial-training"
        )
    diff = without_flags(before).diff(without_flags(after))
    return "".join(f"# {line}\n" for line in said) + diff


def without_flags(program: Program) -> Program:
    """The files of a project without the file of compiler flags."""
    files = {path: text for path, text in program.files.items() if path != FLAGS_FILE}
    return Program(files, program.entry)


def print_next(console: Console, result: Result, budget: Budget, store: str | None) -> None:
    """The commands with which to look closer and to go on."""
    where = f" --store {shlex.quote(without_password(store))}" if store else ""
    console.print()
    spent = result.status == "done" and result.cause is Reason.BUDGET
    if spent or result.status != "done":
        more = f" --budget {_doubled(budget)}" if spent else ""
        _print_place(console, "go on", f"maxcode resume {result.run_id}{more}{where}")
    _print_place(console, "look closer", f"maxcode show {result.run_id}{where}")


def only_flags(result: Result) -> bool:
    """Whether the best program of a project differs in its compiler flags alone."""
    return result.tree[ROOT].program.changed(result.program) == [FLAGS_FILE]


def each_speedup(result: Result) -> dict[str, Interval]:
    """The ratio of each benchmark of a project to the original's, as they were scored."""
    verdict = result.best.evaluation
    if not result.improved or verdict.against or verdict.speedup is None:
        return {}
    return each_benchmark(verdict.measurements, verdict.reference, verdict.speedup.level)


def _benchmarks(result: Result) -> Facts:
    return [
        ("benchmarks" if number == 0 else "", f"{interval(one)} {name}")
        for number, (name, one) in enumerate(each_speedup(result).items())
    ]


def headline(result: Result) -> Text:
    """The speedup in a line."""
    if result.status == "interrupted" and not result.spent.evaluations:
        return Text.assemble((result.task, "bold"), ": interrupted before any candidate was judged")
    if not result.improved:
        return Text.assemble((result.task, "bold"), f": {result.nothing}")
    speedup, little = result.speedup, hardly_compared(result.fuzzed, result.baseline)
    return Text.assemble(
        (f"{result.task}: {factor(speedup.value)} faster", "bold green"),
        (" by compiler flags alone", "bold yellow") if only_flags(result) else "",
        (f" on the tests given, {result.elsewhere}", "bold yellow") if result.elsewhere else "",
        f", {100 * speedup.level:g}% interval {factor(speedup.low)} to {factor(speedup.high)}",
        "" if result.confirmed else ", not confirmed",
        (f", {little}", "bold yellow") if little else "",
    )


def result_facts(result: Result, more: Facts = ()) -> Facts:
    """Figures, baseline, counts of candidates, use of models, and ``more``."""
    rows = [result.figures, ("baseline", described(result.baseline))]
    if result.baseline.noise is not None:
        rows.append(("noise", noise(result.baseline)))
    return [
        *rows,
        *_benchmarks(result),
        ("tried", tried(result.spent, result.by_status, result.reducing)),
        *unusable_answers(result.tree),
        *model_usage(result.usage),
        *more,
    ]


def _evidence(result: Result, more: Facts) -> list[tuple[str, str]]:
    rows = [evidence(confirmed=result.confirmed), *result.further]
    rows += reduction(result.tree, result.reduced)
    for number, hunk in enumerate(result.hunks):
        where = f"{hunk.path} {hunk.header}, {counted(hunk.lines, 'line')}"
        rows.append(("" if number else "hunks worth", f"{where}: {hunk_worth(hunk)}"))
    rows += [*result_facts(result, more), *returned_step(result.tree, result.returned)]
    return [*rows, ("ended", ending(result.status, result.reason))]


def _print_nothing_faster(console: Console, result: Result, more: Facts) -> None:
    console.print(headline(result))
    rows = [*result_facts(result, more), *returned_step(result.tree, result.returned)]
    judged = [
        step for step in list(result.tree)[1:] if step.evaluation.status is not Status.INVALID
    ]
    closest = max(judged or list(result.tree)[1:], key=lambda step: step.reward, default=None)
    confirmed = closest and result.tree.confirmed(closest.id)
    if closest and confirmed:
        rows.append(("closest", f"{named(closest)}: {interval(confirmed)} confirmed"))
    elif closest and closest.evaluation.speedup:
        found = interval(closest.evaluation.speedup)
        rows.append(("closest", f"{named(closest)}: {found} when first timed"))
    elif closest:
        why = (closest.evaluation.feedback or closest.evaluation.status).splitlines()[0]
        rows.append(("none worked", f"{named(closest)}: {why}"))
    rows.append(("ended", ending(result.status, result.reason)))
    rows += [("little is compared", gap) for gap in result.baseline.gaps]
    rows += [("" if number else "try", hint) for number, hint in enumerate(_hints(result))]
    console.print(facts(rows))
    _print_place(console, "run", result.run_id)


def _hints(result: Result) -> list[str]:
    best = result.tree.best
    if best.parent is not None:  # there is something faster, but it was not returned
        return [f"the faster program: maxcode show {result.run_id} --step {best.id}"]
    if result.status in ("failed", "interrupted"):  # the error says what to mend; it can go on
        return []
    if hints := unusable_advice(result.tree):  # more of the same would not help
        return hints
    spent = result.cause is Reason.BUDGET
    hints = ["a larger --budget"] if spent else ["another --seed or --policy"]
    return [*too_small(result.baseline), *hints]


def _found(result: Result, step: Step) -> str:
    """A step's speedup as ``show`` has it: by a comparison with the baseline, or else its score."""
    if confirmed := result.tree.confirmed(step.id):
        return factor(confirmed.value)
    return factor(step.reward) if step.evaluation.ok else step.evaluation.status.replace("_", " ")


def _doubled(budget: Budget) -> str:
    limits = {
        name: limit * 2
        for name in ("evaluations", "tokens", "dollars", "seconds")
        if (limit := getattr(budget, name)) is not None
    }
    return str(replace(budget, **limits))


def _print_place(console: Console, name: str, text: str) -> None:
    """Print something to copy: it is never broken over lines."""
    console.print(Text.assemble((f"{name:<13}", "dim"), text), soft_wrap=True)


def _hunk_document(hunk: HunkWorth) -> Document:
    known = ("path", "header", "lines", "problem")
    bounds = {"worth": "value", "low": "low", "high": "high"}
    return {
        **{name: getattr(hunk, name) for name in known},
        **{name: getattr(hunk.worth, one, None) for name, one in bounds.items()},
    }


def result_document(result: Result, status: str, program: Path | None) -> Document:
    """The outcome of a run as JSON, for ``optimize``, ``resume`` and ``show``."""
    reduced = result.reduced
    best = result.speedup if result.improved else Interval(1.0, 1.0, 1.0)
    before, now = result.samples
    fuzzed, held_out = (result.fuzzed, result.held_out) if result.improved else (None, None)
    return {
        "run_id": result.run_id,
        "status": status,
        "reason": ending(status, result.reason),
        "gaps": list(result.baseline.gaps),
        "baseline_seconds": next((one.median for one in before if one.unit == "s"), None),
        "measured": {
            "meter": before[0].meter,
            "unit": before[0].unit,
            "before": before[0].median,
            "now": now[0].median if result.improved and now else None,
        },
        "best": {
            "speedup": best.value,
            "low": best.low,
            "high": best.high,
            "confirmed": result.improved and result.confirmed,
            "program_path": None if program is None else str(program),
            "fuzzed": fuzzed_document(fuzzed),
            "held_out": held_out_document(held_out),
        },
        "reduced": None
        if reduced is None
        else {
            "step": reduced.step,
            "lines_before": reduced.before,
            "lines_after": reduced.after,
            "replaced": bool(reduced.program),
        },
        "hunks": [_hunk_document(hunk) for hunk in result.hunks],
        "evaluations": result.spent.evaluations,
        "by_status": {status.value: count for status, count in result.by_status.items()},
        "cost": {
            "tokens": result.spent.tokens,
            "dollars": result.spent.dollars,
            "unpriced_tokens": result.spent.unpriced,
        },
        "models": {name: asdict(usage) for name, usage in result.usage.items()},
        "wall_seconds": result.spent.seconds,
    }
