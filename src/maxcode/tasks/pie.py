"""Tasks from files in the format of PIE (https://github.com/LearningOpt/pie)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError

from maxcode.errors import InputError, TaskError
from maxcode.files import first_problem, read_bytes
from maxcode.program import Program
from maxcode.tasks.checkers import Checker
from maxcode.tasks.kernelbench import Notes, as_warning
from maxcode.tasks.program import DEFAULT_FLAGS, Judging, ProgramTask, TestCase

_TOLERANCE = 1e-3  # of a number that is a whole line: gem5/benchmarking.py, get_accuracy
_TEST = re.compile(r"(input|output)\.(0|[1-9][0-9]*)\.txt")


def _numbers(given: object) -> object:
    """Numbers of tests; PIE takes strings, too."""
    if given == []:
        raise ValueError("no tests: nothing says what is correct; remove the record")
    if not isinstance(given, list):
        return given
    return [int(one) if isinstance(one, str) and one.isdecimal() else one for one in given]


_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")]
_Code = Annotated[str, Field(pattern=r"\S")]
_Number = Annotated[int, Field(strict=True, ge=0)]


class _Record(BaseModel):
    """A slow program and a faster program for the same problem, under names of both formats.

    ``tests`` are the numbers of the tests to judge by, None in the older format.
    """

    problem_id: _Name
    src_id: _Name = Field(validation_alias=AliasChoices("src_id", "submission_id_v0"))
    src_code: _Code = Field(validation_alias=AliasChoices("src_code", "input", "code_v0"))
    tgt_code: _Code = Field(validation_alias=AliasChoices("tgt_code", "target", "code_v1"))
    tests: Annotated[tuple[_Number, ...] | None, BeforeValidator(_numbers)] = None

    @property
    def task_name(self) -> str:
        """The name of its task."""
        return f"{self.problem_id}/{self.src_id}"


def load_pie(
    data: Path | str,
    tests: Path | str,
    *,
    limit: int | None = None,
    compat: bool = False,
    notes: Notes = as_warning,
) -> list[ProgramTask]:
    """The tasks of a file of PIE's, the first ``limit`` of them; each starts from a slow program.

    Tests are ``tests/{problem_id}/input.{n}.txt`` with ``output.{n}.txt``, for the numbers that the
    record lists; a record that lists none, as in the older format, is judged by all. Programs are
    built and limited as PIE does it: ``-O3``, C++17, 10 s a test; but a run that takes ten times as
    long as the slow program, and a second more, is given up as in all tasks. An output is right
    by PIE's comparison and not a line longer than expected; ``compat`` lets further lines pass, as
    PIE does (see :class:`~maxcode.tasks.checkers.Checker`, kinds ``values`` and ``pie``). Tasks are
    named "{problem_id}/{src_id}".

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
    judging = Judging(DEFAULT_FLAGS, checker=Checker("pie" if compat else "values", _TOLERANCE))
    problems: dict[str, _Problem] = {}
    tasks: dict[str, ProgramTask] = {}
    for where, record in records[:limit]:
        name = record.problem_id
        if name not in problems:
            problems[name] = _Problem.found(folder / name, where)
        if record.task_name in tasks:
            raise TaskError(f"{where}: src_id: {record.task_name} is there twice; remove one")
        tasks[record.task_name] = ProgramTask(
            name=record.task_name,
            statement=f"Solve problem {name} of a programming contest as this program "
            "does: read its input, print its output.",
            baseline=Program.of(record.src_code),
            tests=problems[name].tests(where, record.tests),
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


@dataclass(frozen=True, slots=True)
class _Problem:
    """A problem's folder of tests, each read when it is first asked for."""

    folder: Path
    numbers: Mapping[str, set[int]]  # of the files called input, and output
    read: dict[int, TestCase] = field(default_factory=dict)

    @classmethod
    def found(cls, folder: Path, where: str) -> _Problem:
        if not folder.is_dir():
            raise TaskError(f"{where}: problem_id: there is no folder {folder} with tests")
        matches = [match for path in folder.iterdir() if (match := _TEST.fullmatch(path.name))]
        named = ("input", "output")
        return cls(folder, {a: {int(one[2]) for one in matches if one[1] == a} for a in named})

    def tests(self, where: str, listed: Sequence[int] | None) -> tuple[TestCase, ...]:
        """The listed tests, or all."""
        if listed is None:
            listed = sorted(self.numbers["input"] | self.numbers["output"])
        if not listed:
            raise TaskError(f"{where}: problem_id: {self.folder} has no input.N.txt, output.N.txt")
        return tuple(self._test(where, number) for number in sorted(listed))

    def _test(self, where: str, number: int) -> TestCase:
        for kind, numbers in self.numbers.items():
            if number not in numbers:
                raise TaskError(
                    f"{where}: tests: test {number} has no {self.folder / f'{kind}.{number}.txt'}"
                )
        if number not in self.read:
            paths = (self.folder / f"{kind}.{number}.txt" for kind in self.numbers)
            contents = (read_bytes(path, TaskError) for path in paths)
            self.read[number] = TestCase(str(number), *contents)
        return self.read[number]
