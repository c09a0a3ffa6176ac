"""Tasks from files in KernelBench's format, single or a whole level of that benchmark."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from maxcode.errors import TaskError
from maxcode.tasks.kernel import KernelJudging, KernelTask
from maxcode.tasks.python_source import PythonSource
from maxcode.tasks.reference import MODEL, check_reference

_PROBLEM = re.compile(r"(\d+)_.+\.py")


def load_kernel_file(path: Path | str, judging: KernelJudging | None = None) -> KernelTask:
    """The task of one file; it is named like the file, and its statement is Model's docstring.

    Raises :class:`~maxcode.errors.TaskError` that names the file, and the line where there is one,
    when it cannot be read, is no Python, or lacks ``Model``, ``get_inputs`` or
    ``get_init_inputs``. Nothing of it is run.
    """
    path = Path(path)
    return _task(path.stem, path, judging or KernelJudging())


def load_kernelbench(
    root: Path | str, level: int, judging: KernelJudging | None = None
) -> list[KernelTask]:
    """The tasks of ``KernelBench/level{N}/``, in the order of their numbers.

    ``root`` is that benchmark's repository or the folder that holds the levels; names are like
    "level1/19_ReLU". Raises :class:`~maxcode.errors.TaskError` for a folder without tasks and,
    naming it, for a file that is none.
    """
    folders = [Path(root) / "KernelBench" / f"level{level}", Path(root) / f"level{level}"]
    folder = next((folder for folder in folders if folder.is_dir()), None)
    if folder is None:
        raise TaskError(f"there is neither {folders[0]} nor {folders[1]}; which root has levels?")
    problems = sorted(
        (int(match[1]), path.name, path)
        for path in folder.iterdir()
        if (match := _PROBLEM.fullmatch(path.name))
    )
    if not problems:
        raise TaskError(f"{folder} holds no tasks: they are files named like 19_ReLU.py")
    chosen = judging or KernelJudging()
    return [_task(f"level{level}/{path.stem}", path, chosen) for _, _, path in problems]


def read_reference(path: Path) -> str:
    """The source of a reference. Raises :class:`~maxcode.errors.TaskError` as the loaders do."""
    try:
        source = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: not UTF-8 text ({error.reason})") from error
    check_reference(source, str(path))
    return source


def docstring(source: str) -> str:
    """What class ``Model`` says of itself, or nothing."""
    body = PythonSource.parse(source, "the reference").tree.body
    models = (node for node in body if isinstance(node, ast.ClassDef) and node.name == MODEL)
    return next((ast.get_docstring(node) or "" for node in models), "")


def _task(name: str, path: Path, judging: KernelJudging) -> KernelTask:
    source = read_reference(path)
    try:
        return KernelTask(name, docstring(source), reference=source, judging=judging)
    except TaskError as error:
        raise TaskError(f"{path}: {error}") from error
