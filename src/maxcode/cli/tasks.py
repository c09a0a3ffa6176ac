"""Tasks from a folder, a program or a landscape, and their sandbox.

The command `init` makes a task folder of a program.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from maxcode.cli.commands import RECORDING, Init, TaskArgs
from maxcode.cli.console import (
    check_writable,
    figure_table,
    print_gaps,
    say,
    standard_error,
    standard_output,
)
from maxcode.cli.lookup import check_there, constructed
from maxcode.cli.programs import (
    KERNEL,
    Source,
    function_of,
    is_program,
    is_reference,
    judging_of,
    made_small,
    matching,
    named_language,
    recorded,
)
from maxcode.cli.projects import init_project
from maxcode.errors import InputError, ToolError
from maxcode.interfaces import Generator
from maxcode.landscape.recorded import Tuning
from maxcode.landscape.terrain import Landscape, Space, Terrain
from maxcode.sandbox.base import Completed, Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox
from maxcode.task import Task
from maxcode.tasks.checkers import is_binary
from maxcode.tasks.folder import load_task, save_reference
from maxcode.tasks.languages import program_suffixes
from maxcode.tasks.program import ProgramTask, save_task
from maxcode.text import counted, duration, size

_SPACES: dict[str, type[Space]] = {"landscape": Terrain, "tuning": Tuning}
"""Simulated tasks, which are named with options instead of a path."""

TASK_FILE = "task.toml"


def source_of(request: TaskArgs, *, small: bool = False) -> str:
    """The source of a task for :func:`load_source`: a folder, a file, or a landscape's text.

    A program is run on its inputs, and becomes a task in the user's data folder, where ``resume``
    finds it again; so does a kernel's reference with ``small`` sizes.

    Raises :class:`InputError`, :class:`~maxcode.errors.TaskError`.
    """
    path, inputs = Path(request.task), request.inputs
    if small:
        return str(made_small(path))
    function = function_of(request.task)
    folder = inputs and path.is_dir() and not (path / TASK_FILE).exists()
    if function or folder or is_program(path, named_language(request.language)):
        if inputs:
            return str(recorded(request))
        raise InputError(
            f"{path} is a program; say which inputs it should become faster on: --inputs "
            + ("cases.json, with JSON lists of arguments" if function else "'inputs/*.txt'")
        )
    landscape = is_landscape(request.task)
    if not landscape:
        check_there(path, "file" if inputs or path.suffix else "task folder or program")
    if given := [f"--{name}" for name in (*["inputs"] * bool(inputs), *request.wishes)]:
        raise InputError(f"{' and '.join(given)} go with a program, and {path} is none")
    if landscape:
        return request.task
    if path.is_dir() or is_reference(path):
        return str(path.resolve())
    raise InputError(
        f"{path} is neither a task folder, nor a program ({', '.join(program_suffixes())}), nor a "
        f"kernel's reference ({KERNEL}); name the language of another file with --language, and "
        "give a task in another language a task.toml with command in [build] and [run]"
    )


def sources_of(name: str) -> list[str]:
    """The sources of the tasks of an argument: itself, or all in a folder of tasks.

    Raises the errors of :func:`source_of`.
    """
    path = Path(name)
    if not path.is_dir() or (path / TASK_FILE).is_file():
        return [source_of(TaskArgs(task=name))]
    inside = [p for p in sorted(path.iterdir()) if (p / TASK_FILE).is_file()]
    inside = inside or sorted(path.glob(f"[!_]*{KERNEL}"))
    if not inside:
        raise InputError(
            f"{path} holds no tasks: they are folders with a {TASK_FILE}, or files in "
            "KernelBench's format"
        )
    return [source_of(TaskArgs(task=str(one))) for one in inside]


def load_source(source: str) -> Task:
    """The task in a folder or file, or ``landscape:seed=3,ruggedness=0.8``.

    Raises :class:`InputError`, :class:`~maxcode.errors.TaskError`.
    """
    if not is_landscape(source):
        return load_task(Path(source))
    name, _, options = source.partition(":")
    return Landscape.on(constructed(source, _SPACES[name], options))


def is_landscape(name: str) -> bool:
    """Whether ``name`` is a landscape, whose programs are never run."""
    return name.partition(":")[0] in _SPACES and not Path(name).exists()


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
        say(
            f"note: {error}. As {type(generator).__name__} only rewrites your own code, "
            "its programs run in time and memory limits, but not isolated."
        )
        return ProcessSandbox()


def sandbox_named(name: str | None) -> Sandbox:
    """The sandbox of that name; bubblewrap without a name.

    A note on standard error says when programs are not isolated. Raises :class:`ToolError` where it
    cannot work, :class:`InputError` for an unknown name.
    """
    match name:
        case "process":
            say(
                "note: --sandbox process: programs are limited, not isolated; they can read your "
                "files, the network and expected outputs"
            )
            return ProcessSandbox()
        case "bubblewrap" | None:
            return BubblewrapSandbox()
    raise InputError(f"unknown sandbox {name!r}; known: bubblewrap, process")


def init(request: Init) -> int:
    """Record the task, save it and print its measurements; gives the exit code."""
    names = request.sources or ["."]
    if Path(names[0]).is_dir() and not request.inputs:
        return init_project(request)
    said = " ".join(names)
    if not request.language and is_reference(Path(names[0])):
        return _init_kernel(request, Path(names[0]))
    if request.command:
        raise InputError(f"--command goes with a project, and --inputs with a program: {said}")
    given = {name: value for name in RECORDING if (value := getattr(request, name)) is not None}
    judging = judging_of(TaskArgs(task=names[0], **given), request.meter or "cpu")
    source = Source.of(names, named_language(request.language))
    out = _new_folder(request, said)
    folder = Path(names[0]).absolute().name if Path(names[0]).is_dir() else None
    seen: list[tuple[str, Completed]] = []
    gaps: list[str] = []
    task = source.record(
        matching(request.inputs or ()),
        judging,
        request.name or folder,
        report=lambda name, run: seen.append((Path(name).name if source.function else name, run)),
        warn=gaps.append,
    )
    save_task(task, out)
    _print(task, out, seen)
    print_gaps(standard_error(), gaps)
    return 0


def _new_folder(request: Init, source: str) -> Path:
    """The folder to make. Raises :class:`InputError` for none, and for an existing path."""
    if request.out is None:
        raise InputError(f"say where the task of {source} shall be: --out mytask/")
    out = Path(request.out)
    if out.exists():
        raise InputError(f"{out} exists already; give another --out, or remove it first")
    check_writable(out.absolute())
    return out


def _init_kernel(request: Init, path: Path) -> int:
    """Make a task folder of a reference; gives the exit code."""
    if request.inputs or request.command or len(request.sources or ()) > 1:
        raise InputError(
            f"a kernel's reference becomes a task alone: maxcode init {path} --out mytask/"
        )
    out = _new_folder(request, str(path))
    task = save_reference(out, path, name=request.name or "")
    standard_output().print(
        f"{request.name or task.name}: a kernel; dtype, variants, tolerance and mode go into its "
        "task.toml",
        soft_wrap=True,
    )
    _print_next(out)
    return 0


def _print_next(out: Path) -> None:
    command = f"maxcode optimize {shlex.quote(str(out))}"
    standard_output().print(f"made {out}; next: {command}", soft_wrap=True)


def _print(task: ProgramTask, out: Path, seen: list[tuple[str, Completed]]) -> None:
    console = standard_output()
    table = figure_table("input", "time", "memory", "output")
    for name, run in seen:
        table.add_row(name, duration(run.wall), size(run.peak_memory), size(len(run.stdout)))
    if len(seen) > 1:
        table.add_row("total", duration(sum(run.wall for _, run in seen)), "", "", style="bold")
    console.print(table)
    tests = counted(len(task.tests), "test")
    console.print(f"\n{task.name}: {tests}, every output the same twice; time is of the slower run")
    if len(task.baseline.files) > 1:
        console.print(f"its files: {', '.join(task.baseline.files)}", soft_wrap=True)
    if any(is_binary(test.expected) for test in task.tests) and task.judging.checker.kind != "pie":
        console.print("some of what it prints is binary, and is compared byte by byte")
    _print_next(out)
