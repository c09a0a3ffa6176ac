"""The end of a run: where its program is saved, and five lines for people."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from rich.console import Console
from rich.text import Text

from maxcode.budget import Budget
from maxcode.cli.console import NAMES, check_writable, command, facts, print_lines, print_wrapped
from maxcode.cli.forms import Outcome, Row
from maxcode.errors import InputError
from maxcode.evaluation import Reason
from maxcode.files import write_bytes
from maxcode.program import Program
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
from maxcode.sources import from_bytes, to_bytes
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


def check_place(out: str | None, program: Program) -> None:
    """Raise :class:`InputError` where a program of these files cannot be saved."""
    path = Path(out).absolute() if out else Path.cwd()
    if out and path.is_dir() and len(program.files) == 1:
        raise InputError(f"--out {out} is a folder; name a file in it")
    if out and path.exists() and not path.is_dir() and len(program.files) > 1:
        raise InputError(
            f"--out {out} is a file, and a program of {len(program.files)} files needs a folder"
        )
    check_writable(path)


def save_program(result: Result, out: str | None, store: str | None = None) -> Path:
    """Write the best program, several files as a folder; gives its path.

    A file at ``out`` is overwritten. Without it the name is made of the task's, and a file there
    is replaced only if its text is a step of this run, so that nothing is lost; otherwise a free
    name is taken. Raises :class:`InputError` when it cannot be written, with the command that shows
    it, from the run's ``store``.
    """
    program = result.program
    suffix = Path(program.entry).suffix if len(program.files) == 1 else ""
    path = _place(result, out, (".fast", suffix), lambda there: _is_step(result, there))
    try:
        if len(program.files) > 1:
            program.write(path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(to_bytes(program.code))
    except OSError as error:
        kept = command("show", result.run_id, "--step", result.best.id, "--json", store=store)
        raise InputError(
            f"cannot write {path}: {error.strerror}; the program is kept: {kept}"
        ) from error
    return path


def save_patch(result: Result, out: str | None) -> Path | None:
    """Write the patch to the best program, to NAME.maxcode.patch if not to ``out``; gives its path.

    Compiler flags alone are written to ``out`` only, as git finds no patch there. No snapshot of a
    project takes a file of that name for its own. Raises :class:`InputError` when it cannot be
    written.
    """
    if not out and only_flags(result):
        return None
    text = to_bytes(patch(result))
    path = _place(result, out, ("", ".maxcode.patch"), lambda there: there.read_bytes() == text)
    write_bytes(path, text)
    return path


def _place(
    result: Result, out: str | None, ending: tuple[str, str], ours: Callable[[Path], bool]
) -> Path:
    """The path ``out``, or else the first free one by the task's name, or one that is ``ours``."""
    if out:
        return Path(out).absolute()
    stem = re.sub(r"[^\w.-]+", "-", result.task).strip("-.") or "program"
    names = (f"-{number}" if number > 1 else "" for number in count(1))
    paths = (Path.cwd() / f"{stem}{ending[0]}{name}{ending[1]}" for name in names)
    return next(path for path in paths if not path.exists() or ours(path))


def _is_step(result: Result, path: Path) -> bool:
    """Whether the file holds a program of this run."""
    if not path.is_file():
        return False
    try:
        written = Program.of(from_bytes(path.read_bytes()), result.program.entry)
    except UnicodeDecodeError:
        return False
    return result.tree.find(written.digest) is not None
