"""Tasks from folders: a kernel's has ``task.toml`` with a table ``[kernel]``, and a reference."""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from maxcode.errors import TaskError
from maxcode.files import write_text
from maxcode.task import Task
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant
from maxcode.tasks.kernelbench import docstring, load_kernel_file, read_reference
from maxcode.tasks.program import load_program_folder
from maxcode.tasks.project import load_project_folder
from maxcode.tasks.reference import Constant, with_constants
from maxcode.tasks.toml import Seconds, Table, read_toml

REFERENCE = "reference.py"
_Constants = dict[str, bool | int | float | str | list[int] | list[float] | list[str]]


class _Variant(Table):
    name: Annotated[str, Field(min_length=1)]
    constants: _Constants = Field(default={})
    distribution: Literal["task", "normal", "uniform", "positive", "shifted", "mixed-scale"] = (
        "task"
    )
    device: Literal["", "cpu", "cuda"] = ""


class _Kernel(Table):
    reference: str = REFERENCE
    mode: Literal["strict", "kernelbench"] = "strict"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    dtype: Literal["", "float32", "float16", "bfloat16"] = ""
    train: bool = False
    backward: bool = False
    tolerance: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    baselines: list[Literal["eager", "compile"]] = Field(default=["eager"])
    threads: Annotated[int, Field(gt=0, le=4096)] = 1
    timeout: Seconds = 30.0
    build_timeout: Seconds = 300.0
    memory_mb: Annotated[int, Field(gt=0, le=1 << 30)] = 8192
    constants: _Constants = Field(default={})
    variants: list[_Variant] = Field(default=[_Variant(name="default")], min_length=1)


class _TaskFile(Table):
    name: Annotated[str, Field(min_length=1)]
    statement: str = ""
    kernel: _Kernel


def load_kernel_folder(folder: Path | str) -> KernelTask:
    """The kernel task in a folder. Without a statement it is Model's docstring.

    Raises :class:`~maxcode.errors.TaskError` with the file, and line and key in ``task.toml``.
    """
    folder = Path(folder)
    path = folder / "task.toml"
    table = read_toml(path, _TaskFile)
    kernel = table.kernel
    reference = folder / kernel.reference
    source = read_reference(reference)
    own = dict(_constants(kernel.constants))
    try:
        return KernelTask(
            table.name,
            table.statement or docstring(source),
            reference=with_constants(source, own, str(reference)) if own else source,
            judging=_judging(kernel),
            backward=kernel.backward,
        )
    except TaskError as error:
        raise TaskError(f"{path}: kernel: {error}") from error


def _judging(kernel: _Kernel) -> KernelJudging:
    """The settings in the table. Raises :class:`~maxcode.errors.TaskError`."""
    return KernelJudging(
        mode=kernel.mode,
        device=kernel.device,
        dtype=kernel.dtype,
        train=kernel.train,
        tolerance=kernel.tolerance,
        variants=tuple(
            Variant(one.name, _constants(one.constants), one.distribution, one.device)
            for one in kernel.variants
        ),
        baselines=tuple(kernel.baselines),
        threads=kernel.threads,
        timeout=kernel.timeout,
        build_timeout=kernel.build_timeout,
        memory=kernel.memory_mb << 20,
    )


_KERNEL = f"""
[kernel]
reference = "{REFERENCE}"
mode = "strict"      # or "kernelbench"

# To have candidates checked on normal inputs as well:
# [[kernel.variants]]
# name = "default"
# [[kernel.variants]]
# name = "normal"
# distribution = "normal"
"""


def save_reference(folder: Path, path: Path, *, name: str = "", small: bool = False) -> KernelTask:
    """Make a task folder of a reference in KernelBench's format, of ``small`` sizes or its own.

    Raises :class:`~maxcode.errors.TaskError` as :func:`load_kernel_file` does; the folder is not
    made then.
    """
    task = load_kernel_file(path, small=small)
    about = {"name": name or task.name, "statement": task.statement}
    with _appearing(folder) as inside:
        write_text(inside / REFERENCE, task.reference)
        lines_of = [f"{key} = {json.dumps(text)}\n" for key, text in about.items() if text]
        write_text(inside / "task.toml", "".join([*lines_of, _KERNEL]))
    return task


@contextmanager
def _appearing(folder: Path) -> Iterator[Path]:
    """A place to write the folder's contents; it appears once all are written."""
    with tempfile.TemporaryDirectory(dir=folder.absolute().parent, prefix=".maxcode-") as made:
        inside = Path(made, "task")
        yield inside
        inside.chmod(0o755)
        inside.rename(folder)


def _constants(table: _Constants) -> tuple[tuple[str, Constant], ...]:
    return tuple(
        (name, tuple(value) if isinstance(value, list) else value) for name, value in table.items()
    )


_PROJECT = "project"
_CPP_TABLES = ("program", "build", "run", "check")


def load_task(path: Path | str) -> Task:
    """The task in a folder, or of a Python file in KernelBench's format.

    A ``task.toml`` with a table ``[kernel]`` makes it a kernel task, with ``kind = "project"`` a
    project, with another ``kind`` a task of the installed package that has this name in the
    entry-point group ``maxcode.tasks``: a function of the folder. Any other is a program. Raises
    :class:`~maxcode.errors.TaskError` with the file, and line and key in ``task.toml``.
    """
    path = Path(path)
    if path.suffix == ".py" and not path.is_dir():
        return load_kernel_file(path)
    if not path.is_dir():
        raise TaskError(f"there is no task folder {path}")
    file = path / "task.toml"
    if not file.is_file():
        raise TaskError(
            f"{path} has no task.toml; make a task of a program with: "
            "maxcode init slow.cpp --inputs 'inputs/*.txt' --out mytask/; of a project with a "
            f"build and a benchmark with: maxcode init {path}"
        )
    kind = _tables(file).get("kind")
    if kind == _PROJECT:
        return load_project_folder(path)
    if isinstance(kind, str):
        return _foreign(path, kind)
    return load_kernel_folder(path) if _is_kernel(file) else load_program_folder(path)


def _foreign(folder: Path, kind: str) -> Task:
    """Task of a kind that another package registers. Raises :class:`TaskError`."""
    known = entry_points(group="maxcode.tasks")
    if kind not in known.names:
        raise TaskError(
            f"{folder / 'task.toml'}: no task of kind {kind!r}; known: "
            f"{', '.join([_PROJECT, *sorted(known.names)])}, from packages with an entry point in "
            "the group maxcode.tasks; programs and kernels have no kind"
        )
    task = known[kind].load()(folder)
    if not isinstance(task, Task):
        raise TaskError(f"{folder}: {known[kind].value} made {task!r}, which is no maxcode.Task")
    return task


def is_project(folder: Path | str) -> bool:
    """Whether the folder's ``task.toml`` declares a project."""
    return _tables(Path(folder) / "task.toml").get("kind") == _PROJECT


def _tables(path: Path) -> dict[str, object]:
    """A file's tables, empty for an unreadable file; its loader gives the reason."""
    try:
        return tomllib.loads(path.read_bytes().decode())
    except (OSError, ValueError):
        return {}


def _is_kernel(path: Path) -> bool:
    """Whether the file has a table ``[kernel]``."""
    tables = _tables(path)
    clash = [name for name in _CPP_TABLES if name in tables]
    if "kernel" in tables and clash:
        raise TaskError(
            f"{path}: [kernel] and [{clash[0]}] in one file: a task is a kernel or a C++ "
            "program, not both; remove one of them"
        )
    return "kernel" in tables
