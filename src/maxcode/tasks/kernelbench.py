"""Tasks from files in KernelBench's format, single or a whole level of that benchmark."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from maxcode.errors import TaskError
from maxcode.tasks.constants import with_constants
from maxcode.tasks.kernel import KernelJudging, KernelTask
from maxcode.tasks.notes import Notes, as_warning
from maxcode.tasks.python_source import PythonSource
from maxcode.tasks.reference import MODEL, check_reference
from maxcode.tasks.small_sizes import small_sizes

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
    root: Path | str,
    level: int,
    judging: KernelJudging | None = None,
    *,
    ids: Iterable[int] | None = None,
    small: bool = False,
    notes: Notes = as_warning,
) -> list[KernelTask]:
    """The tasks of ``KernelBench/level{N}/``, in the order of their numbers.

    ``root`` is that benchmark's repository or the folder that holds the levels; names are like
    "level1/19_ReLU". ``ids`` are the numbers of the problems that are wanted, else all are. With
    ``small`` sizes are made such that a CPU can judge the tasks, by the rule of
    :mod:`maxcode.tasks.small_sizes`; their statements say so. ``notes`` is told which tasks that
    leaves as they are; unless given, this is a warning.

    Raises :class:`~maxcode.errors.TaskError` for a folder without tasks, a number that is not
    there or is wanted twice, two files with one number, and, naming it, a Python file that is
    no task. Files of other kinds are not looked at.
    """
    folders = [Path(root) / "KernelBench" / f"level{level}", Path(root) / f"level{level}"]
    folder = next((folder for folder in folders if folder.is_dir()), None)
    if folder is None:
        raise TaskError(f"there is neither {folders[0]} nor {folders[1]}; which root has levels?")
    problems = _problems(folder)
    wanted = sorted(problems) if ids is None else _wanted(ids, problems, folder)
    paths = [problems[number] for number in wanted]
    chosen = judging or KernelJudging()
    tasks = [_task(f"level{level}/{path.stem}", path, chosen, small=small) for path in paths]
    read = zip(tasks, paths, strict=True)
    if small and (same := [task.name for task, path in read if _is_as_read(task, path)]):
        notes(
            f"small sizes change nothing in {len(same)} of {len(tasks)} tasks, which are as large "
            f"as in the benchmark: {', '.join(same)}"
        )
    return tasks


def _problems(folder: Path) -> dict[int, Path]:
    """The files of a level by their numbers."""
    problems: dict[int, Path] = {}
    for path in sorted(folder.glob("*.py")):
        match = _PROBLEM.fullmatch(path.name)
        if match is None:
            raise TaskError(
                f"{path} is no task: those are named like 19_ReLU.py; rename it or take it away"
            )
        if other := problems.get(int(match[1])):
            raise TaskError(f"{folder} has two tasks {match[1]}: {other.name} and {path.name}")
        problems[int(match[1])] = path
    if not problems:
        raise TaskError(f"{folder} holds no tasks: they are files named like 19_ReLU.py")
    return problems


def _wanted(ids: Iterable[int], problems: Collection[int], folder: Path) -> list[int]:
    wanted = sorted(ids)
    if not wanted:
        raise TaskError(f"no task of {folder} is asked for; name at least one number")
    for number in wanted:
        if number not in problems:
            span = f"{len(problems)} tasks, from {min(problems)} to {max(problems)}"
            raise TaskError(f"{folder} has no task {number}; it has {span}")
        if wanted.count(number) > 1:
            raise TaskError(f"task {number} of {folder} is asked for twice")
    return wanted


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


def _is_as_read(task: KernelTask, path: Path) -> bool:
    return task.reference == read_reference(path)


def _task(name: str, path: Path, judging: KernelJudging, *, small: bool = False) -> KernelTask:
    source = read_reference(path)
    statement = docstring(source)
    try:
        if small and (sizes := small_sizes(source)):
            source = with_constants(source, sizes)
            changed = ", ".join(f"{name} = {size}" for name, size in sizes.items())
            statement = f"{statement}\n\nSmaller than in the benchmark: {changed}.".lstrip()
        return KernelTask(name, statement, reference=source, judging=judging)
    except TaskError as error:
        raise TaskError(f"{path}: {error}") from error
