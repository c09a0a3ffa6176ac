"""The command `compare`: methods x tasks x seeds at an equal budget, and what may be concluded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from maxcode.cli.compare_commands import Compare
from maxcode.cli.console import standard_error
from maxcode.cli.contending import Match, contend
from maxcode.cli.sources import load_source, task_source
from maxcode.errors import InputError

_TASK = "task.toml"
_KERNEL = ".py"


def compare(request: Compare) -> int:
    """Make the runs that are missing, tell the outcome, and give the exit code."""
    messages = standard_error()
    sources = [source for name in request.tasks for source in sources_of(name, messages)]
    return contend(request, Match([load_source(source) for source in sources], sources))


def sources_of(name: str, messages: Console) -> Iterator[str]:
    """The tasks that an argument stands for: itself, or those in a folder of tasks."""
    path = Path(name)
    if not path.is_dir() or (path / _TASK).is_file():
        yield task_source(name, (), messages)
        return
    inside = [p for p in sorted(path.iterdir()) if (p / _TASK).is_file()]
    inside = inside or sorted(path.glob(f"[!_]*{_KERNEL}"))
    if not inside:
        raise InputError(
            f"{path} holds no tasks: they are folders with a {_TASK}, or files in KernelBench's "
            "format"
        )
    for one in inside:
        yield task_source(str(one), (), messages)
