"""Tasks and training pairs from files in the format of PIE (https://github.com/LearningOpt/pie)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from maxcode.errors import InputError, TaskError
from maxcode.program import Program
from maxcode.tasks.checkers import Checker
from maxcode.tasks.cpp import DEFAULT_FLAGS, CppTask, Judging, TestCase
from maxcode.tasks.notes import Notes, as_warning
from maxcode.tasks.pie_records import Line, Record, read_records

_TOLERANCE = 1e-3  # of a number that is a whole line: gem5/benchmarking.py, get_accuracy
_TEST = re.compile(r"(input|output)\.(0|[1-9][0-9]*)\.txt")


@dataclass(frozen=True, slots=True)
class Pair:
    """A slow program and a faster one that solve the same problem.

    ``speedup`` is how many times faster PIE measured it to be, ``score`` PIE's tag from 1 to 10 of
    how close it comes to the fastest program known; None where the file does not say.
    """

    problem_id: str
    slow: str
    fast: str
    speedup: float | None = None
    score: int | None = None


def read_pairs(path: Path | str, *, notes: Notes = as_warning) -> Iterator[Pair]:
    """The slow-fast pairs of a training file, in its order; ``tests`` may be missing there.

    ``notes`` is told when older field names are met, and of records left out since their programs
    are the same; unless given, these are warnings. Raises :class:`~maxcode.errors.TaskError` that
    names file, line and field at the first record that is wrong, and for a file without any.
    """
    for line in read_records(Path(path), notes):
        record, score = line.record, line.record.target_reward_updated_pct_bin
        yield Pair(
            record.problem_id,
            record.src_code,
            record.tgt_code,
            record.speedup,
            None if score is None else int(score),
        )


def load_pie(
    data: Path | str,
    tests: Path | str,
    *,
    limit: int | None = None,
    compat: bool = False,
    notes: Notes = as_warning,
) -> list[CppTask]:
    """The tasks of a file of PIE's, the first ``limit`` of them; each starts from a slow program.

    Tests are ``tests/{problem_id}/input.{n}.txt`` with ``output.{n}.txt``, for the numbers that the
    record lists; a record of the older format, which lists none, is judged by all. Programs are
    built and limited as PIE does it: ``-O3``, C++17, 10 s a test; but a run that takes ten times as
    long as the slow program, and a second more, is given up as in all C++ tasks. An output is right
    by PIE's comparison and not a line longer than expected; ``compat`` lets further lines pass, as
    PIE does (see :class:`~maxcode.tasks.checkers.Checker`, kinds ``values`` and ``pie``). Tasks are
    named "{problem_id}/{src_id}".

    ``notes`` is told of older field names and of records left out (by the limit, or since their two
    programs are the same, as PIE does it); unless given, these are warnings. All records are
    checked, whatever the limit. Raises :class:`~maxcode.errors.TaskError` that names file, line and
    field for what is wrong, and :class:`~maxcode.errors.InputError` for a limit below 1.
    """
    if limit is not None and limit < 1:
        raise InputError(f"a limit is a number of records of at least 1, not {limit}")
    data, folder = Path(data), Path(tests)
    if not folder.is_dir():
        raise TaskError(f"there is no folder {folder}; it should hold a folder for each problem")
    lines = _distinct(data, notes)
    if limit is not None and limit < len(lines):
        notes(f"{data}: the first {limit} of {len(lines)} records are taken")
    judging = Judging(DEFAULT_FLAGS, checker=Checker("pie" if compat else "values", _TOLERANCE))
    problems: dict[str, _Problem] = {}
    tasks = []
    for line in lines[:limit]:
        name, where = line.record.problem_id, f"{data}, line {line.number}"
        if name not in problems:
            problems[name] = _Problem.found(folder / name, where)
        tasks.append(_task(where, line, problems[name], judging))
    return tasks


def _distinct(data: Path, notes: Notes) -> list[Line]:
    """All lines. Raises :class:`TaskError` when two tasks would have one name."""
    numbers: dict[str, int] = {}
    lines = []
    for line in read_records(data, notes):
        name = _name(line.record)
        if (first := numbers.setdefault(name, line.number)) != line.number:
            raise TaskError(
                f"{data}, line {line.number}: src_id: {name} is on line {first}, too; remove one"
            )
        lines.append(line)
    return lines


def _name(record: Record) -> str:
    return f"{record.problem_id}/{record.src_id}"


def _task(where: str, line: Line, problem: _Problem, judging: Judging) -> CppTask:
    record, numbers = line.record, line.record.tests
    if numbers is None and not line.older:
        raise TaskError(f"{where}: tests: this field is missing; it lists the tests to judge by")
    return CppTask(
        name=_name(record),
        statement=f"Solve problem {record.problem_id} of a programming contest as this program "
        "does: read its input, print its output.",
        baseline=Program.of(record.src_code),
        tests=problem.tests(where, numbers),
        judging=judging,
    )


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
        """Those listed, or all."""
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
            contents = (self._content(kind, number) for kind in self.numbers)
            self.read[number] = TestCase(str(number), *contents)
        return self.read[number]

    def _content(self, kind: str, number: int) -> bytes:
        path = self.folder / f"{kind}.{number}.txt"
        try:
            return path.read_bytes()
        except OSError as error:
            raise TaskError(f"{path}: {error.strerror}") from error
