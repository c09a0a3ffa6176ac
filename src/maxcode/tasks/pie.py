"""Tasks from files in the format of PIE (https://github.com/LearningOpt/pie)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from maxcode.errors import InputError, TaskError
from maxcode.files import first_problem, read_bytes
from maxcode.program import Program
from maxcode.tasks.checkers import Checker
from maxcode.tasks.program import DEFAULT_FLAGS, Judging, ProgramTask, TestCase

Notes = Callable[[str], object]
"""Receives notes on a correct file."""

_TOLERANCE = 1e-3  # of a number that is a whole line: gem5/benchmarking.py, get_accuracy


_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")]
_Code = Annotated[str, Field(pattern=r"\S")]


class _Record(BaseModel):
    """A slow program, a faster program for the same problem, and the numbers of its tests."""

    problem_id: _Name
    src_id: _Name
    src_code: _Code
    tgt_code: _Code
    tests: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)]

    @property
    def task_name(self) -> str:
        """The name of its task."""
        return f"{self.problem_id}/{self.src_id}"


def load_pie(
    data: Path | str,
    tests: Path | str,
    *,
    limit: int | None = None,
    notes: Notes = warnings.warn,
) -> list[ProgramTask]:
    """The tasks of a file of PIE's, the first ``limit`` of them; each starts from a slow program.

    Tests are ``tests/{problem_id}/input.{n}.txt`` with ``output.{n}.txt``, for the numbers that the
    record lists. Programs are built and limited as PIE does it: ``-O3``, C++17, 10 s a test. An
    output is right by PIE's comparison, with no line more than expected. Tasks are named
    "{problem_id}/{src_id}".

    ``notes`` is called for records left out (by the limit, or since their two programs are the
    same, as PIE does it); unless given, these are warnings. All records are checked, whatever the
    limit. Raises :class:`~maxcode.errors.TaskError` that names file, line and field for what is
    wrong, and :class:`~maxcode.errors.InputError` for a limit below 1.
    """
    if limit is not None and limit < 1:
        raise InputError(f"a limit is a number of records of at least 1, not {limit}")
    data, folder = Path(data), Path(tests)
    if not folder.is_dir():
        raise TaskError(f"there is no folder {folder}; it should hold a folder for each problem")
    found = list(_records(data))
    records = [(where, one) for where, one in found if one.src_code != one.tgt_code]
    if not records:
        raise TaskError(f"{data}: there is no record of two different programs, one a line")
    if same := len(found) - len(records):
        notes(f"{data}: records left out since their two programs are the same: {same}")
    if limit is not None and limit < len(records):
        notes(f"{data}: the first {limit} of {len(records)} records are taken")
    judging = Judging(DEFAULT_FLAGS, checker=Checker("values", _TOLERANCE))
    read = cache(_test)  # tasks of a problem share its tests
    tasks: dict[str, ProgramTask] = {}
    for where, record in records[:limit]:
        name = record.problem_id
        if record.task_name in tasks:
            raise TaskError(f"{where}: src_id: {record.task_name} is there twice; remove one")
        try:
            cases = tuple(read(folder / name, number) for number in sorted(record.tests))
        except TaskError as error:
            raise TaskError(f"{where}: tests: {error}") from error
        tasks[record.task_name] = ProgramTask(
            name=record.task_name,
            statement=f"Solve problem {name} of a programming contest as this program "
            "does: read its input, print its output.",
            baseline=Program.of(record.src_code),
            tests=cases,
            judging=judging,
        )
    return list(tasks.values())


def _records(path: Path) -> Iterator[tuple[str, _Record]]:
    """The records of a file, each with its place. Raises :class:`TaskError`."""
    for number, line in enumerate(read_bytes(path, TaskError).splitlines(), 1):
        where = f"{path}, line {number}"
        try:
            yield where, _Record.model_validate_json(line)
        except ValidationError as error:
            raise TaskError(f"{where}: {first_problem(error)}") from error


def _test(folder: Path, number: int) -> TestCase:
    paths = (folder / f"{kind}.{number}.txt" for kind in ("input", "output"))
    return TestCase(str(number), *(read_bytes(path, TaskError) for path in paths))
