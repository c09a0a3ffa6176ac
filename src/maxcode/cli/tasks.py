"""Tasks from what the user names (a folder, a program, a landscape), and their sandbox.

The command `init` makes a task folder of a program.
"""

from __future__ import annotations

import glob
import hashlib
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from platformdirs import user_data_path
from pydantic import TypeAdapter, ValidationError

from maxcode.cli.commands import Init
from maxcode.cli.console import check_writable, figure_table, standard_error, standard_output
from maxcode.cli.lookup import constructed, first_problem
from maxcode.cli.projects import init_project
from maxcode.errors import InputError, ToolError
from maxcode.executors.cpp.recording import record_task
from maxcode.interfaces import Generator
from maxcode.landscape.nk import NK
from maxcode.landscape.recorded import Tuning
from maxcode.landscape.terrain import Landscape, Space, Terrain
from maxcode.measure.meters import meter
from maxcode.sandbox.base import Completed, Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox
from maxcode.task import Task
from maxcode.tasks.checkers import Checker
from maxcode.tasks.cpp import CppTask, Judging, save_task
from maxcode.tasks.folder import load_task
from maxcode.tasks.toml import Seconds
from maxcode.text import counted, duration, size

_PROGRAMS = (".cpp", ".cc", ".cxx")
_KERNEL = ".py"
_SPACES: dict[str, type[Space]] = {"landscape": Terrain, "nk": NK, "tuning": Tuning}
"""Simulated tasks, which are named with options instead of a path."""

TASK_FILE = "task.toml"


def task_source(name: str, patterns: Sequence[str] = ()) -> str:
    """What :func:`load_source` makes the task of: a folder, a file, or a landscape's text.

    A program is run on its inputs and becomes a task in the user's data folder, where ``resume``
    finds it again.

    Raises :class:`InputError`, :class:`~maxcode.errors.TaskError`.
    """
    if not is_landscape(name):
        return str(_task_folder(Path(name), patterns))
    if patterns:
        raise InputError(f"--inputs goes with a C++ program, and {name!r} is a landscape")
    return name


def sources_of(name: str) -> list[str]:
    """The sources of the tasks that an argument stands for: itself, or all in a folder of tasks.

    Raises what :func:`task_source` does.
    """
    path = Path(name)
    if not path.is_dir() or (path / TASK_FILE).is_file():
        return [task_source(name)]
    inside = [p for p in sorted(path.iterdir()) if (p / TASK_FILE).is_file()]
    inside = inside or sorted(path.glob(f"[!_]*{_KERNEL}"))
    if not inside:
        raise InputError(
            f"{path} holds no tasks: they are folders with a {TASK_FILE}, or files in "
            "KernelBench's format"
        )
    return [task_source(str(one)) for one in inside]


def load_source(source: str) -> Task:
    """The task in a folder or file, or ``landscape:seed=3,ruggedness=0.8``, ``nk:k=8``.

    Raises :class:`InputError`, :class:`~maxcode.errors.TaskError`.
    """
    if not is_landscape(source):
        return load_task(Path(source))
    name, _, options = source.partition(":")
    return Landscape.on(constructed(source, _SPACES[name], options))


def is_landscape(name: str) -> bool:
    """Whether ``name`` is a landscape, whose programs are never run."""
    return name.partition(":")[0] in _SPACES and not Path(name).exists()


def _task_folder(path: Path, patterns: Sequence[str]) -> Path:
    if path.is_file() and path.suffix in _PROGRAMS:
        if not patterns:
            raise InputError(
                f"{path} is a program; say which inputs it should become faster on: "
                "--inputs 'inputs/*.txt'"
            )
        return _recorded(path, patterns)
    if not path.exists():
        file = patterns or path.suffix
        raise InputError(
            f"there is no {'file' if file else 'task folder or program'} {path}{_suggestion(path)}"
        )
    if patterns:
        what = "is a folder" if path.is_dir() else "is no C++ program"
        raise InputError(
            f"{path} {what}; --inputs goes with a C++ program ({', '.join(_PROGRAMS)}), and a task "
            "folder has its inputs in tests/"
        )
    if path.is_dir() or (path.is_file() and path.suffix == _KERNEL):
        return path.resolve()
    raise InputError(
        f"{path} is neither a task folder, nor a C++ program ({', '.join(_PROGRAMS)}), nor a "
        f"kernel's reference ({_KERNEL})"
    )


def _suggestion(path: Path) -> str:
    """A question that names what lies beside a missing path and is spelt much like it."""
    there = glob.glob("*", root_dir=path.parent)
    close = get_close_matches(path.name, sorted(there), n=1)
    return f"; did you mean {path.parent / close[0]}?" if close else ""


def matching(patterns: Sequence[str]) -> list[Path]:
    """The files that the patterns match, each once, sorted. Raises :class:`InputError`."""
    found: set[Path] = set()
    for pattern in patterns:
        files = [Path(path) for path in glob.glob(pattern, recursive=True) if Path(path).is_file()]
        if not files:
            raise InputError(f"--inputs {pattern!r} matches no file in {Path.cwd()}")
        found.update(files)
    return sorted(found)


def _recorded(source: Path, patterns: Sequence[str]) -> Path:
    inputs = matching(patterns)
    tasks = user_data_path("maxcode", appauthor=False) / "tasks"
    content = hashlib.sha256()  # so that the same program and inputs find their task again
    for path in (source, *inputs):
        try:
            text = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from error
        content.update(len(text).to_bytes(8, "big"))
        content.update(text)
    folder = tasks / f"{source.stem}-{content.hexdigest()[:8]}"
    if folder.exists():
        return folder
    standard_error().print(
        f"running {source} on {counted(len(inputs), 'input')} to record its outputs"
    )
    save_task(record_task(source, inputs), folder)
    return folder


def choose_sandbox(name: str | None, generator: Generator, sources: Sequence[str] = ()) -> Sandbox:
    """The sandbox of that name; by default bubblewrap, if the tasks have programs to run.

    Where bubblewrap cannot work, programs of a trusted generator run within limits, with a note to
    the user; for others :class:`ToolError` says what to install and how to accept the risk.
    Raises :class:`InputError` for an unknown name.
    """
    if name is None and sources and all(map(is_landscape, sources)):
        return ProcessSandbox()
    try:
        return sandbox_named(name)
    except ToolError as error:
        if name is not None or not generator.trusted:
            raise
        standard_error().print(
            f"note: {error}. As {type(generator).__name__} only rewrites your own code, "
            "its programs run in time and memory limits, but not isolated.",
            soft_wrap=True,
            highlight=False,
        )
        return ProcessSandbox()


def sandbox_named(name: str | None) -> Sandbox:
    """The sandbox of that name, bubblewrap without one: who wrote the programs is not known.

    Raises :class:`ToolError` where it cannot work, :class:`InputError` for an unknown name.
    """
    match name:
        case "process":
            return ProcessSandbox()
        case "bubblewrap" | None:
            return BubblewrapSandbox()
    raise InputError(f"unknown sandbox {name!r}; known: bubblewrap, process")


def init(request: Init) -> int:
    """Record the task, save it and say what was measured; gives the exit code."""
    if Path(request.source).is_dir():
        return init_project(request)
    if request.out is None:
        raise InputError(f"say where the task of {request.source} shall be: --out mytask/")
    out = Path(request.out)
    if out.exists():
        raise InputError(f"{out} exists already; give another --out, or remove it first")
    check_writable(out.absolute())
    try:
        flags = tuple(shlex.split(request.flags))
    except ValueError as error:
        raise InputError(f"--flags {request.flags!r}: {error}") from error
    judging = Judging(
        flags=flags,
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
        problem = first_problem(error).lower()
        raise InputError(f"--timeout {timeout:g} (seconds): {problem}") from error


def _print(task: CppTask, out: Path, seen: list[tuple[str, Completed]]) -> None:
    console = standard_output()
    total = sum(run.wall for _, run in seen)
    table = figure_table("input", "time", "memory", "output")
    table.show_footer, table.footer_style = len(seen) > 1, "bold"
    table.columns[0].footer, table.columns[1].footer = "total", duration(total)
    for name, run in seen:
        table.add_row(name, duration(run.wall), size(run.peak_memory), size(len(run.stdout)))
    console.print(table)
    tests = counted(len(task.tests), "test")
    console.print(f"\n{task.name}: {tests}, every output the same twice; time is of the slower run")
    console.print(f"made {out}; next: maxcode optimize {shlex.quote(str(out))}", soft_wrap=True)
