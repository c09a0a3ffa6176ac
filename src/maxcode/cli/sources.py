"""From what the user names, a program, a folder or a landscape, to a task."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from pathlib import Path

from platformdirs import user_data_path
from rich.console import Console

from maxcode.cli.parameters import constructed
from maxcode.errors import InputError, ToolError
from maxcode.executors.cpp.executor import CppExecutor
from maxcode.executors.cpp.recording import record_task
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.interfaces import Executor, Generator
from maxcode.landscape.plugins import LandscapeExecutor
from maxcode.landscape.terrain import Landscape, Terrain
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox
from maxcode.task import Task
from maxcode.tasks.cpp import save_task
from maxcode.tasks.folder import load_task
from maxcode.tasks.kernel import KernelTask
from maxcode.text import counted

_PROGRAMS = (".cpp", ".cc", ".cxx")
_KERNEL = ".py"
_LANDSCAPE = "landscape"


def task_source(name: str, patterns: Sequence[str], messages: Console) -> str:
    """What :func:`load_source` makes the task of: see :func:`task_folder`, or a landscape's text.

    Raises :class:`InputError`, :class:`~maxcode.errors.TaskError`.
    """
    if not is_landscape(name):
        return str(task_folder(name, patterns, messages))
    if patterns:
        raise InputError(f"--inputs goes with a C++ program, and {name!r} is a landscape")
    return name


def load_source(source: str) -> Task:
    """The task in a folder or file, or ``landscape:seed=3,ruggedness=0.8``.

    Raises :class:`InputError`, :class:`~maxcode.errors.TaskError`.
    """
    if not is_landscape(source):
        return load_task(Path(source))
    return Landscape.on(constructed(source, Terrain, source.partition(":")[2]))


def is_landscape(name: str) -> bool:
    """Whether ``name`` is a landscape, of whose programs none is ever run."""
    return name.partition(":")[0] == _LANDSCAPE and not Path(name).exists()


def task_folder(name: str, patterns: Sequence[str], messages: Console) -> Path:
    """The folder of the task that ``name`` stands for.

    A program is run on its inputs and becomes a task in the user's data folder, where ``resume``
    finds it again. Raises :class:`InputError`, :class:`~maxcode.errors.TaskError`.
    """
    path = Path(name)
    if path.is_file() and path.suffix in _PROGRAMS:
        if not patterns:
            raise InputError(
                f"{path} is a program; say which inputs it shall become faster on: "
                f"--inputs 'inputs/*.txt'"
            )
        return _recorded(path, patterns, messages)
    if not path.exists():
        file = patterns or path.suffix
        raise InputError(
            f"there is no {'file' if file else 'task folder or program'} {path}{_meant(path)}"
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


def _meant(path: Path) -> str:
    """What lies beside a path that does not exist and is spelt much like it, as a question."""
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


def _recorded(source: Path, patterns: Sequence[str], messages: Console) -> Path:
    inputs = matching(patterns)
    tasks = user_data_path("maxcode", appauthor=False) / "tasks"
    folder = tasks / f"{source.stem}-{_digest([source, *inputs])[:8]}"
    if folder.exists():
        return folder
    messages.print(f"running {source} on {counted(len(inputs), 'input')} to record its outputs")
    save_task(record_task(source, inputs), folder)
    return folder


def _digest(paths: Sequence[Path]) -> str:
    """Of what is in the files, so that the same program and inputs find their task again."""
    content = hashlib.sha256()
    for path in paths:
        try:
            text = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from error
        content.update(len(text).to_bytes(8, "big"))
        content.update(text)
    return content.hexdigest()


def executor_for(task: Task, sandbox: Sandbox) -> AbstractContextManager[Executor]:
    """The executor that judges such tasks, to be closed."""
    if isinstance(task, Landscape):
        return nullcontext(LandscapeExecutor())
    return KernelExecutor(sandbox) if isinstance(task, KernelTask) else CppExecutor(sandbox)


def choose_sandbox(
    name: str | None, generator: Generator, messages: Console, sources: Sequence[str] = ()
) -> Sandbox:
    """The sandbox of that name; by default bubblewrap, if the tasks have programs to run.

    Where that cannot work, programs that only rearrange the user's own code are run within limits,
    and the user is told; for those of anybody else :class:`ToolError` is raised, which says what to
    install and how to accept the risk. Raises :class:`InputError` for an unknown name.
    """
    if name is None and sources and all(map(is_landscape, sources)):
        return ProcessSandbox()
    try:
        return sandbox_named(name)
    except ToolError as error:
        if name is not None or not generator.trusted:
            raise
        messages.print(
            f"note: {error}. As {type(generator).__name__} only rewrites your own code, "
            "its programs run in time and memory limits, but not isolated.",
            soft_wrap=True,
            highlight=False,
        )
        return ProcessSandbox()


def sandbox_named(name: str | None) -> Sandbox:
    """The sandbox of that name, and bubblewrap without one: anybody may have written the programs.

    Raises :class:`ToolError` where it cannot work, :class:`InputError` for an unknown name.
    """
    match name:
        case "process":
            return ProcessSandbox()
        case "bubblewrap" | None:
            return BubblewrapSandbox()
    raise InputError(f"unknown sandbox {name!r}; known: bubblewrap, process")
