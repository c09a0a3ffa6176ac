"""Tasks from what people have on disk: a folder with a ``task.toml``, or a file."""

from __future__ import annotations

import tomllib
from pathlib import Path

from maxcode.errors import TaskError
from maxcode.task import Task
from maxcode.tasks.cpp_folder import load_cpp_folder
from maxcode.tasks.kernel_folder import load_kernel_folder
from maxcode.tasks.kernelbench import load_kernel_file

_CPP_TABLES = ("program", "build", "run", "check")


def load_task(path: Path | str) -> Task:
    """The task in a folder, or of a Python file in KernelBench's format.

    A ``task.toml`` with a table ``[kernel]`` makes it a kernel task, any other a C++ task. Raises
    :class:`~maxcode.errors.TaskError` that names the file, and the line and key if it is
    ``task.toml`` that is wrong.
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
            "maxcode init slow.cpp --inputs 'inputs/*.txt' --out mytask/"
        )
    return load_kernel_folder(path) if _is_kernel(file) else load_cpp_folder(path)


def _is_kernel(path: Path) -> bool:
    """Whether the file has a table ``[kernel]``. What else is wrong with it, its loader says."""
    try:
        tables = tomllib.loads(path.read_bytes().decode())
    except (OSError, ValueError):
        return False
    clash = [name for name in _CPP_TABLES if name in tables]
    if "kernel" in tables and clash:
        raise TaskError(
            f"{path}: [kernel] and [{clash[0]}] in one file: a task is a kernel or a C++ "
            "program, not both; remove one of them"
        )
    return "kernel" in tables
