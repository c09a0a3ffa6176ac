"""The command `init`: a task folder from a program and inputs."""

from __future__ import annotations

import shlex
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from rich.table import Table

from maxcode.cli.commands import Init
from maxcode.cli.console import check_writable, standard_output
from maxcode.cli.sources import matching
from maxcode.errors import InputError
from maxcode.executors.cpp.recording import record_task
from maxcode.measure.meters import meter
from maxcode.sandbox.base import Completed
from maxcode.tasks.checkers import Checker
from maxcode.tasks.cpp import CppTask, Judging, save_task
from maxcode.tasks.toml import Seconds
from maxcode.text import counted, duration, size


def init(request: Init) -> int:
    """Record the task, save it and say what was measured; gives the exit code."""
    out = Path(request.out)
    if out.exists():
        raise InputError(f"{out} exists already; give another --out, or remove it first")
    check_writable(out.absolute())
    judging = Judging(
        flags=_flags(request.flags),
        timeout=_seconds(request.timeout),
        meter=meter(request.meter or "cpu").name,
        checker=Checker(request.check, request.tolerance),
    )
    inputs = matching(request.inputs or ())
    seen: list[tuple[str, Completed]] = []
    task = record_task(
        request.source,
        inputs,
        name=request.name,
        judging=judging,
        report=lambda name, completed: seen.append((name, completed)),
    )
    save_task(task, out)
    _print(task, out, seen)
    return 0


def _seconds(timeout: float) -> float:
    """A limit that the task's folder can hold."""
    try:
        return TypeAdapter[float](Seconds).validate_python(timeout)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]["msg"]
        raise InputError(f"--timeout {timeout:g} (seconds): {problem.lower()}") from error


def _flags(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise InputError(f"--flags {text!r}: {error}") from error


def _print(task: CppTask, out: Path, seen: list[tuple[str, Completed]]) -> None:
    console = standard_output()
    total = sum(run.wall for _, run in seen)
    table = Table(box=None, pad_edge=False, header_style="dim", footer_style="bold")
    table.add_column("input", "total", overflow="fold")
    table.add_column("time", duration(total), justify="right", no_wrap=True)
    table.add_column("memory", justify="right", no_wrap=True)
    table.add_column("output", justify="right", no_wrap=True)
    table.show_footer = len(seen) > 1
    for name, run in seen:
        table.add_row(name, duration(run.wall), size(run.peak_memory), size(len(run.stdout)))
    console.print(table)
    tests = counted(len(task.tests), "test")
    console.print(f"\n{task.name}: {tests}, every output the same twice; time is of the slower run")
    console.print(f"made {out}; next: maxcode optimize {shlex.quote(str(out))}", soft_wrap=True)
