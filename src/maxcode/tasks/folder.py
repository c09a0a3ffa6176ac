"""Tasks from folders: a kernel's has ``task.toml`` with a table ``[kernel]``, and a reference."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, fields
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from maxcode.errors import TaskError
from maxcode.files import new_folder, write_text
from maxcode.task import Task
from maxcode.tasks.kernel import Constants, KernelJudging, KernelTask
from maxcode.tasks.kernelbench import docstring, load_kernel_file, read_reference
from maxcode.tasks.program import check_new, load_program_folder
from maxcode.tasks.project import load_project_folder
from maxcode.tasks.reference import with_constants
from maxcode.tasks.toml import Table, read_toml

REFERENCE = "reference.py"


@dataclass(frozen=True)
class _Kernel(KernelJudging):
    reference: str = REFERENCE
    backward: bool = False
    constants: Annotated[Constants, BeforeValidator(dict.items)] = ()


class _TaskFile(Table):
    name: Annotated[str, Field(min_length=1)]
    statement: str = ""
    kernel: _Kernel


def load_kernel_folder(folder: Path | str) -> KernelTask:
    """The kernel task in a folder. Without a statement it is Model's docstring.

    Raises :class:`~maxcode.errors.TaskError` with the file, and the key in ``task.toml``.
    """
    folder = Path(folder)
    path = folder / "task.toml"
    table = read_toml(path, _TaskFile)
    kernel = table.kernel
    reference = folder / kernel.reference
    source = read_reference(reference)
    if kernel.constants:
        source = with_constants(source, dict(kernel.constants), str(reference))
    judging = {one.name: getattr(kernel, one.name) for one in fields(KernelJudging)}
    try:
        return KernelTask(
            table.name,
            table.statement or docstring(source),
            reference=source,
            judging=KernelJudging(**judging),
            backward=kernel.backward,
        )
    except TaskError as error:
        raise TaskError(f"{path}: kernel: {error}") from error


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


def save_reference(folder: Path, path: Path, *, small: bool = False) -> KernelTask:
    """Make a task folder of a reference in KernelBench's format, of ``small`` sizes or its own.

    Raises :class:`~maxcode.errors.TaskError` as :func:`load_kernel_file` does; the folder is not
    made then.
    """
    task = load_kernel_file(path, small=small)
    about = {"name": task.name, "statement": task.statement}
    with new_folder(folder, partial(check_new, folder)) as inside:
        write_text(inside / REFERENCE, task.reference)
        lines_of = [f"{key} = {json.dumps(text)}\n" for key, text in about.items() if text]
        write_text(inside / "task.toml", "".join([*lines_of, _KERNEL]))
    return task


_PROJECT = "project"


def load_task(path: Path | str) -> Task:
    """The task in a folder, or of a Python file in KernelBench's format.

    A ``task.toml`` with a table ``[kernel]`` makes it a kernel task, with ``kind = "project"`` a
    project, with another ``kind`` a task of the installed package that has this name in the
    entry-point group ``maxcode.tasks``: a function of the folder. Any other is a program. Raises
    :class:`~maxcode.errors.TaskError` with the file, and the key in ``task.toml``.
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
    tables = _tables(file)
    kind = tables.get("kind")
    if kind == _PROJECT:
        return load_project_folder(path)
    if isinstance(kind, str):
        return _foreign(path, kind)
    return load_kernel_folder(path) if "kernel" in tables else load_program_folder(path)


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
