"""The end of a run in five lines: result, evidence, change, place of the program, next commands."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.text import Text

from maxcode.budget import Budget
from maxcode.cli.console import NAMES, command, facts, print_lines, print_wrapped
from maxcode.cli.forms import Outcome, Row
from maxcode.evaluation import Reason
from maxcode.report.closing import (
    FLAGS_ALONE,
    attempts,
    changed,
    closest,
    each_speedup,
    headline,
    more_budget,
    only_flags,
    safe,
)
from maxcode.search.result import Result
from maxcode.search.summary import returned_step
from maxcode.tasks.project import FLAGS_FILE
from maxcode.text import cut, interval


def print_summary(
    console: Console, result: Result, path: Path | None, next_commands: Sequence[str] = ()
) -> None:
    """Print the end of a run in five lines; ``path`` is where its program was saved."""
    print_headline(console, result)
    if result.improved:
        rows = [("safe?", safe(result)), ("changed", _cut(console, changed(result)))]
        if path or only_flags(result):
            rows.append(("saved", _saved(result, path) if path else f"no patch: {FLAGS_ALONE}"))
        rows += returned_step(result.tree, result.returned)
    else:
        rows = [
            (name, _cut(console, text) if name == "closest" else text)
            for name, text in attempts(result)
        ]
    console.print(facts(rows))
    if next_commands:
        print_wrapped(console, "next", next_commands, " · ")


def outcome_of(result: Result) -> Outcome:
    """The end of a run for a comment or a file of tests: the gain of each benchmark."""
    told = headline(result)
    found = [("safe?", safe(result)), ("changed", changed(result))]
    facts = found if result.improved else attempts(result)
    return Outcome(
        "optimize",
        result.task,
        "faster" if result.improved else "nothing faster",
        f"{told.result}{told.rest}",
        failure="" if result.improved else "nothing faster",
        columns=("benchmark", "speedup"),
        rows=[Row(name, (interval(one),)) for name, one in each_speedup(result).items()],
        facts=[f"{name}: {text}" for name, text in facts],
    )


def next_commands(result: Result, budget: Budget, store: str | None, run: str = "") -> list[str]:
    """The commands with which to look closer and to go on.

    ``run`` is the id that names the run to those that look, empty for the newest run.
    """
    named_run = [run] if run else []
    steps = list(result.tree)[1:]
    found = [command("show", *named_run, store=store)] if steps else []
    if not result.improved and (step := closest(result)) and not step.evaluation.ok:
        found = [command("show", *named_run, "--step", step.id, store=store)]
    elif result.best is not result.tree.best:  # there is something faster, but it was not returned
        found = [command("show", *named_run, "--step", result.tree.best.id, store=store)]
    if result.improved and find_spec("plotly"):
        found.append(command("report", *named_run, store=store))
    if result.status != "done":
        found.append(command("resume", result.run_id, store=store))
    elif result.cause is Reason.BUDGET:
        more = str(more_budget(result, budget))
        found.append(command("resume", result.run_id, "--budget", more, store=store))
    return found


def print_headline(console: Console, result: Result) -> None:
    """Print the speedup in a line, or as few as hold it."""
    told = headline(result)
    style = ("bold green" if told.sure else "bold yellow") if result.improved else "bold"
    print_lines(console, Text.assemble((told.result, style), told.rest))


def _cut(console: Console, text: str) -> str:
    return cut(text, console.width - NAMES - 3)


def _saved(result: Result, path: Path) -> str:
    here = Path.cwd()
    saved = str(path.relative_to(here) if path.is_relative_to(here) else path)
    if result.program.files.get(FLAGS_FILE, "").split():
        saved += f" ({FLAGS_ALONE})"
    return saved
