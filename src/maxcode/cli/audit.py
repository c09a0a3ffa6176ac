"""The command `audit`: which kernel tasks would be passed without computing anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table
from rich.text import Text

from maxcode.cli.commands import Audit
from maxcode.cli.console import standard_error, standard_output
from maxcode.cli.document import print_document
from maxcode.cli.isolation import sandbox_named
from maxcode.errors import ExecutorError, InputError, ToolError
from maxcode.executors.kernel.differences import in_mode
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.interpreter import this_interpreter
from maxcode.tasks import KernelTask, load_task
from maxcode.tasks.kernel import MODES
from maxcode.telling.steps import Document
from maxcode.telling.words import counted

_TASK = "task.toml"
_STYLES = {"ok": "green", "degenerate": "yellow", "error": "red"}


@dataclass(frozen=True)
class _Finding:
    """What is known of a task: what would ``pass``, or why that cannot be told."""

    path: Path
    passing: Sequence[str] = ()
    error: str = ""

    @property
    def verdict(self) -> str:
        """ok, degenerate or error."""
        return "error" if self.error else "degenerate" if self.passing else "ok"

    def document(self) -> Document:
        """As JSON."""
        return {
            "task": str(self.path),
            "verdict": self.verdict,
            "passing": list(self.passing),
            "error": self.error,
        }


def audit(request: Audit) -> int:
    """Audit all tasks and print a table; gives the exit code."""
    if request.mode not in (None, *MODES):
        raise InputError(f"unknown mode {request.mode!r}; known: {', '.join(MODES)}")
    paths = [path for name in request.tasks for path in _tasks(Path(name))]
    this_interpreter()  # raises without torch, before every task is reported to lack it
    findings = []
    with KernelExecutor(sandbox_named(request.sandbox)) as executor:
        for number, path in enumerate(paths, 1):
            standard_error().print(f"{number} of {len(paths)}: {path}")
            findings.append(_look(executor, path, request.mode))
    if request.json:
        print_document({"tasks": [finding.document() for finding in findings]})
    else:
        _print(findings)
    return 0 if all(finding.verdict == "ok" for finding in findings) else 1


def _tasks(path: Path) -> list[Path]:
    """The tasks that a path stands for. Raises :class:`InputError` for none."""
    if path.is_file() or (path / _TASK).is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"there is no task or folder {path}")
    found = sorted(_inside(path), key=_natural)
    if not found:
        raise InputError(
            f"{path} holds no kernel tasks: they are folders with a {_TASK}, or files in "
            "KernelBench's format"
        )
    return found


def _inside(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if (path / _TASK).is_file() or (path.suffix == ".py" and not path.name.startswith("_")):
            yield path


def _natural(path: Path) -> tuple[int, str]:
    """By number, where names begin with one."""
    number = path.name.partition("_")[0]
    return (int(number) if number.isdecimal() else -1, path.name)


def _look(executor: KernelExecutor, path: Path, mode: str | None) -> _Finding:
    """Audit one; what is wrong with it must not end the rest."""
    try:
        task = load_task(path)
        if not isinstance(task, KernelTask):
            raise InputError(f"{path} is no kernel task")
        return _Finding(path, executor.audit(in_mode(task, mode) if mode else task))
    except (InputError, ToolError, ExecutorError) as error:
        return _Finding(path, error=str(error))


def _print(findings: Sequence[_Finding]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("task", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    table.add_column("what would pass", overflow="fold")
    for one in findings:
        told = one.error.partition("\n")[0] or "; ".join(one.passing) or "-"
        verdict = Text(one.verdict, _STYLES[one.verdict])
        table.add_row(Text(str(one.path)), verdict, Text(told))
    console = standard_output()
    console.print(table)
    counts = {verdict: sum(one.verdict == verdict for one in findings) for verdict in _STYLES}
    console.print(
        f"\n{counted(len(findings), 'task')}: {counts['degenerate']} would be passed without "
        f"computing, {counts['error']} could not be audited"
    )
