"""KernelBench's files: references, single or a whole level, and results."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from maxcode.errors import TaskError
from maxcode.files import read_text
from maxcode.tasks.kernel import KernelJudging, KernelTask
from maxcode.tasks.reference import MODEL, PythonSource, check_reference, with_constants
from maxcode.tasks.small_sizes import small_sizes

_PROBLEM = re.compile(r"(\d+)_.+\.py")


def load_kernel_file(
    path: Path | str, judging: KernelJudging | None = None, *, small: bool = False
) -> KernelTask:
    """The task of a file; it has the file's name, and its statement is Model's docstring.

    ``small`` is as for :func:`load_kernelbench`. Raises
    :class:`~maxcode.errors.TaskError` with the file, and the line if there is one, for an
    unreadable file, for a syntax error, and without ``Model``, ``get_inputs`` or
    ``get_init_inputs``. Nothing of it is run.
    """
    path = Path(path)
    return _task(path.stem, path, judging or KernelJudging(), small=small)


def load_kernelbench(
    root: Path | str,
    level: int,
    judging: KernelJudging | None = None,
    *,
    ids: Iterable[int] | None = None,
    small: bool = False,
) -> list[KernelTask]:
    """The tasks of ``KernelBench/level{N}/``, in the order of their numbers.

    ``root`` is that benchmark's repository or the folder of its levels; names are like
    "level1/19_ReLU". ``ids`` are the numbers of the wanted problems, by default all. With ``small``
    sizes are reduced for a CPU, by the rule of :mod:`maxcode.tasks.small_sizes`; their statements
    say so. Raises :class:`~maxcode.errors.TaskError` for a folder without tasks, a missing number,
    and a file with such a name that is no task. Other files are ignored.
    """
    folders = [Path(root) / "KernelBench" / f"level{level}", Path(root) / f"level{level}"]
    folder = next((folder for folder in folders if folder.is_dir()), None)
    if folder is None:
        raise TaskError(f"there is neither {folders[0]} nor {folders[1]}; which root has levels?")
    problems = _problems(folder)
    wanted = sorted(problems) if ids is None else _wanted(ids, problems, folder)
    paths = [problems[number] for number in wanted]
    chosen = judging or KernelJudging()
    return [_task(f"level{level}/{path.stem}", path, chosen, small=small) for path in paths]


def _problems(folder: Path) -> dict[int, Path]:
    """The files of a level by their numbers."""
    found = ((_PROBLEM.fullmatch(path.name), path) for path in sorted(folder.glob("*.py")))
    problems = {int(match[1]): path for match, path in found if match}
    if not problems:
        raise TaskError(f"{folder} holds no tasks: they are files named like 19_ReLU.py")
    return problems


def _wanted(ids: Iterable[int], problems: Mapping[int, Path], folder: Path) -> list[int]:
    wanted = sorted(set(ids))
    if not wanted:
        raise TaskError(f"no task of {folder} is asked for; name at least one number")
    if missing := [number for number in wanted if number not in problems]:
        span = f"{len(problems)} tasks, from {min(problems)} to {max(problems)}"
        raise TaskError(f"{folder} has no task {missing[0]}; it has {span}")
    return wanted


def read_reference(path: Path) -> str:
    """The source of a reference. Raises :class:`~maxcode.errors.TaskError` as the loaders do."""
    source = read_text(path, TaskError, "utf-8-sig")
    check_reference(source, str(path))
    return source


def docstring(source: str) -> str:
    """The docstring of class ``Model``, or nothing."""
    body = PythonSource.parse(source, "the reference").tree.body
    models = (node for node in body if isinstance(node, ast.ClassDef) and node.name == MODEL)
    return next((ast.get_docstring(node) or "" for node in models), "")


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


class RuntimeStats(BaseModel):
    """Times of calls in milliseconds, of three significant digits; ``std`` is the population's."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    mean: float
    std: float
    min: float
    max: float
    num_trials: int
    hardware: str | None = None
    device: str | None = None


_Empty = Annotated[dict[str, JsonValue], Field(max_length=0)]


class EvalResult(BaseModel):
    """That benchmark's verdict on a sample.

    ``compiled``: the module was loaded; ``correctness``: all trials passed. ``runtime`` is the mean
    in milliseconds, or -1 if not timed. ``metadata`` describes the failure.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    compiled: bool
    correctness: bool
    metadata: dict[str, JsonValue]
    runtime: float
    runtime_stats: RuntimeStats | _Empty
