"""KernelBench's files: references, single or a whole level, generated kernels, and results."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from maxcode.errors import InputError, TaskError
from maxcode.files import first_problem, read_text, write_text
from maxcode.program import Program
from maxcode.tasks.kernel import KernelJudging, KernelTask
from maxcode.tasks.reference import MODEL, PythonSource, check_reference, with_constants
from maxcode.tasks.small_sizes import small_sizes

Notes = Callable[[str], object]
"""Receives notes on a correct file."""


def as_warning(note: str) -> None:
    """The note as a warning, for whoever did not ask for notes."""
    warnings.warn(note, stacklevel=3)


_PROBLEM = re.compile(r"(\d+)_.+\.py")


def load_kernel_file(
    path: Path | str, judging: KernelJudging | None = None, *, small: bool = False
) -> KernelTask:
    """The task of a file; it has the file's name, and its statement is Model's docstring.

    ``small`` is as for :func:`load_kernelbench`, without a note. Raises
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
    notes: Notes = as_warning,
) -> list[KernelTask]:
    """The tasks of ``KernelBench/level{N}/``, in the order of their numbers.

    ``root`` is that benchmark's repository or the folder of its levels; names are like
    "level1/19_ReLU". ``ids`` are the numbers of the wanted problems, by default all. With ``small``
    sizes are reduced for a CPU, by the rule of :mod:`maxcode.tasks.small_sizes`; their statements
    say so. ``notes`` gets the tasks left as they are; unless given, this is a warning. Raises
    :class:`~maxcode.errors.TaskError` for a folder without tasks, a number missing or wanted twice,
    two files with the same number, and a Python file that is no task. Files of other kinds are
    ignored.
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
    pairs = zip(tasks, paths, strict=True) if small else ()
    if same := [task.name for task, path in pairs if task.reference == read_reference(path)]:
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


_KERNEL = re.compile(r"level_(\d+)_problem_(\d+)_sample_(\d+)_kernel\.py")


@dataclass(frozen=True, slots=True, order=True)
class KernelName:
    """The kernel of a file: a sample for a problem of a level."""

    level: int
    problem: int
    sample: int

    @classmethod
    def parse(cls, file: str) -> KernelName | None:
        """The kernel in a file's name; None for other names."""
        match = _KERNEL.fullmatch(file)
        return cls(*map(int, match.groups())) if match else None

    def __str__(self) -> str:
        return f"level_{self.level}_problem_{self.problem}_sample_{self.sample}_kernel.py"


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


class _Row(EvalResult):
    sample_id: int


Sample = tuple[int, int]
"""A problem's number and a sample's."""


def write_kernel(folder: Path | str, name: KernelName, program: Program) -> Path:
    """Write a kernel where that benchmark's scripts look for it; gives its path.

    Raises :class:`~maxcode.errors.InputError` for a program of several files, and for an unwritable
    path.
    """
    if len(program.files) > 1:
        raise InputError(f"{name}: KernelBench's kernels are one file, not {len(program.files)}")
    path = Path(folder) / str(name)
    write_text(path, program.code)
    return path


def read_eval_results(path: Path | str) -> dict[Sample, EvalResult]:
    """Results by problem and sample in a file of either layout.

    Raises :class:`~maxcode.errors.InputError` with the file, problem, sample and field of a
    mistake.
    """
    path = Path(path)
    problems = _read_json(path)
    if not isinstance(problems, dict):
        raise InputError(f"{path}: must be an object that maps problems to results")
    results: dict[Sample, EvalResult] = {}
    for problem, held in problems.items():
        if not problem.isdecimal():
            raise InputError(f"{path}: problem {problem!r} is no number")
        for row in held if isinstance(held, list) else [held]:
            number = row.get("sample_id", "?") if isinstance(row, dict) else "?"
            where = f"{path}: problem {problem}, sample {number}"
            parsed = _validated(row, where)
            key = int(problem), parsed.sample_id
            if key in results:
                raise InputError(f"{path}: problem {problem} has sample {key[1]} twice")
            results[key] = EvalResult.model_validate(parsed.model_dump(exclude={"sample_id"}))
    return results


def write_eval_results(path: Path | str, results: Mapping[Sample, EvalResult]) -> None:
    """Write results, beside the file's results of other samples, in the newer layout.

    The file is replaced as a whole: readers see the old or the new. Raises
    :class:`~maxcode.errors.InputError` for a file that cannot be read as such, or be written.
    """
    path = Path(path)
    merged = {**(read_eval_results(path) if path.exists() else {}), **results}
    problems: dict[str, list[dict[str, Any]]] = {}
    for (problem, sample), result in sorted(merged.items()):
        row = {"sample_id": sample, **result.model_dump(exclude_none=True)}
        problems.setdefault(str(problem), []).append(row)
    write_text(path, json.dumps(problems, indent=4))


def write_baseline_times(path: Path | str, level: int, times: Mapping[str, RuntimeStats]) -> None:
    """Write the times of references of a level, by the names of their files.

    Raises :class:`~maxcode.errors.InputError` when it cannot be written.
    """
    rows = {problem: one.model_dump(exclude_none=True) for problem, one in sorted(times.items())}
    write_text(Path(path), json.dumps({f"level{level}": rows}, indent=4))


def _read_json(path: Path) -> Any:
    text = read_text(path)
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"{path}: not valid JSON: {error}") from error


def _validated(row: object, where: str) -> _Row:
    try:
        return _Row.model_validate(row)
    except ValidationError as error:
        raise InputError(f"{where}: {first_problem(error)}") from error
