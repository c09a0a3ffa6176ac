"""The end of a run: where its program is saved, and five lines for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from rich.console import Console
from rich.text import Text

from maxcode.budget import Budget
from maxcode.cli.console import check_writable, command, facts
from maxcode.cli.forms import Outcome, Row
from maxcode.errors import InputError
from maxcode.evaluation import Reason
from maxcode.files import write_bytes
from maxcode.report.closing import (
    FLAGS_ALONE,
    attempts,
    changed,
    closest,
    each_speedup,
    headline,
    more_budget,
    only_flags,
    patch,
    safe,
)
from maxcode.search.result import Result
from maxcode.search.summary import returned_step
from maxcode.sources import to_bytes
from maxcode.task import Task
from maxcode.tasks.project import FLAGS_FILE, ProjectTask
from maxcode.text import cut, interval


def print_summary(
    console: Console, result: Result, path: Path | None, next_commands: Sequence[str] = ()
) -> None:
    """Print the end of a run in five lines; ``path`` is where its program was saved."""
    print_headline(console, result)
    rows = _told(result)
    if result.improved:
        if path or only_flags(result):
            rows.append(("saved", _saved(result, path) if path else f"no patch: {FLAGS_ALONE}"))
        rows += returned_step(result.tree, result.returned)
    most = console.width - 13  # columns
    long = ("changed", "closest")
    console.print(facts((name, cut(text, most) if name in long else text) for name, text in rows))
    if next_commands:
        named = Text.assemble(("next      ", "dim"), " · ".join(next_commands))
        console.print(named, soft_wrap=True)  # the terminal wraps commands, so they stay whole


def _told(result: Result) -> list[tuple[str, str]]:
    if result.improved:
        return [("safe?", safe(result)), ("changed", changed(result))]
    return attempts(result)


def outcome_of(result: Result) -> Outcome:
    """The end of a run for a comment or a file of tests: the gain of each benchmark."""
    told = headline(result)
    return Outcome(
        "optimize",
        result.task,
        "faster" if result.improved else "nothing faster",
        f"{told.result}{told.rest}",
        failure="" if result.improved else "nothing faster",
        columns=("benchmark", "speedup"),
        rows=[Row(name, (interval(one),)) for name, one in each_speedup(result).items()],
        facts=[f"{name}: {text}" for name, text in _told(result)],
    )


def next_commands(result: Result, budget: Budget, store: str | None, run: str = "") -> list[str]:
    """The commands with which to look closer and to go on.

    ``run`` is the id that names the run to those that look, empty for the newest run.
    """
    named_run = [run] if run else []
    looked_at: list[object] = []
    if not result.improved and (step := closest(result)) and not step.evaluation.ok:
        looked_at = ["--step", step.id]
    elif result.best is not result.tree.best:  # there is something faster, but it was not returned
        looked_at = ["--step", result.tree.best.id]
    found = []
    if len(result.tree) > 1:
        found.append(command("show", *named_run, *looked_at, store=store))
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
    console.print(Text.assemble((told.result, style), told.rest))


def _saved(result: Result, path: Path) -> str:
    here = Path.cwd()
    saved = str(path.relative_to(here) if path.is_relative_to(here) else path)
    if result.program.files.get(FLAGS_FILE, "").split():
        saved += f" ({FLAGS_ALONE})"
    return saved


def check_place(out: str | None, task: Task) -> None:
    """Raise :class:`InputError` where a program of the task, or a project's patch, has no place."""
    path = Path(out).absolute() if out else Path.cwd()
    single = isinstance(task, ProjectTask) or len(task.baseline.files) == 1
    if out and path.is_dir() and single:
        raise InputError(f"--out {out} is a folder; name a file in it")
    if out and path.is_file() and not single:
        raise InputError(f"--out {out} is a file, and a program of several files needs a folder")
    check_writable(path)


def save(result: Result, out: str | None, *, project: bool = False) -> Path | None:
    """Write the best program, several files as a folder, or a project's patch; gives its path.

    A file at ``out`` is overwritten. Without it the name is made of the task's, and a file there is
    replaced only if its text is a step of this run; otherwise a free name is taken. Compiler flags
    alone are written to ``out`` only, as git finds no patch there. Raises :class:`InputError`.
    """
    program = result.program
    if project and not out and only_flags(result):
        return None
    if not project and len(program.files) > 1:
        path = _place(result, out, ".fast", set())
        try:
            program.write(path)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror}") from error
        return path
    text = to_bytes(patch(result) if project else program.code)
    ours = {text} if project else {to_bytes(step.program.code) for step in result.tree}
    ending = ".maxcode.patch" if project else f".fast{Path(program.entry).suffix}"
    path = _place(result, out, ending, ours)  # no snapshot of a project takes the patch's name
    write_bytes(path, text)
    return path


def _place(result: Result, out: str | None, ending: str, ours: set[bytes]) -> Path:
    """The path ``out``, or else the first by the task's name that is free, or one of ``ours``."""
    if out:
        return Path(out).absolute()
    stem = re.sub(r"[^\w.-]+", "-", result.task).strip("-.") or "program"
    paths = (Path.cwd() / f"{stem}{f'-{n}' if n > 1 else ''}{ending}" for n in count(1))
    return next(
        path
        for path in paths
        if not path.exists() or (path.is_file() and path.read_bytes() in ours)
    )
