"""Tasks and training pairs from files in the format of PIE (https://github.com/LearningOpt/pie)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from maxcode.errors import InputError, TaskError
from maxcode.files import read_bytes
from maxcode.program import Program
from maxcode.tasks.checkers import Checker
from maxcode.tasks.kernelbench import Notes, as_warning
from maxcode.tasks.program import DEFAULT_FLAGS, Judging, ProgramTask, TestCase
from maxcode.tasks.toml import problem_message

OLDER_NAMES = {
    "input": "src_code",
    "code_v0": "src_code",
    "target": "tgt_code",
    "code_v1": "tgt_code",
    "submission_id_v0": "src_id",
    "submission_id_v1": "tgt_id",
    "status_v0": "src_status",
    "status_v1": "tgt_status",
}

# Columns beside those of the model that such files carry: measurements of the two programs, of the
# fastest known one and of generated ones, and in older files what describes the two sources.
_CARRIED = re.compile(
    r"(src|tgt|target|fastest|generated|speedup)_\w+|\w+_v[01](_\w+)?"
    r"|generated_answers|code_same|relative_loc_diff_percent|diff|diff_only_import_comment"
    r"|runtime_lift|original_language|filename_ext"
)


def _names_a_file(given: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}", given):
        raise ValueError(f"only letters, digits, '.', '_' and '-', not {_shown(given)}")
    return given


def _is_text(given: str) -> str:
    if not given.strip():
        raise ValueError("there is no program")
    try:
        given.encode()
    except UnicodeEncodeError as error:  # JSON can say "\ud800" alone
        raise ValueError(f"no Unicode text: {error.reason} at character {error.start}") from None
    return given


def _is_accepted(given: str) -> str:
    if given != "Accepted":
        raise ValueError(f"{_shown(given)}, but PIE's programs are all Accepted; remove the record")
    return given


_Id = Annotated[str, AfterValidator(_names_a_file)]
_Code = Annotated[str, AfterValidator(_is_text)]
_Text = Annotated[str, Field(min_length=1)]
_Status = Annotated[str, AfterValidator(_is_accepted)]
_Measured = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
_Ratio = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
_Count = Annotated[float, Field(strict=True, ge=1, multiple_of=1)]  # columns with gaps are floats
_Tag = Annotated[float, Field(strict=True, ge=1, le=10, multiple_of=1)]


class Record(BaseModel):
    """A slow program and a faster program for the same problem.

    ``tests`` are the numbers of the tests to judge by, ``n_tests`` is the problem's number of
    tests. Runtimes are in seconds (in older records in ms, and not read),
    ``target_reward_updated_pct_bin`` is PIE's tag from 1 to 10: how close the faster program comes
    to the fastest known.
    """

    model_config = ConfigDict(frozen=True)

    problem_id: _Id
    src_id: _Id
    src_code: _Code
    tgt_id: _Id
    tgt_code: _Code
    tests: tuple[int, ...] | None = None
    n_tests: _Count | None = None
    speedup: _Ratio | None = None
    target_reward_updated_pct_bin: _Tag | None = None
    src_agg_runtime: _Measured | None = None
    tgt_agg_runtime: _Measured | None = None
    fastest_agg_runtime: _Measured | None = None
    src_status: _Status | None = None
    tgt_status: _Status | None = None
    user_id: _Text | None = None
    language: _Text | None = None
    improvement_frac: _Measured | None = None

    @property
    def task_name(self) -> str:
        """The name of its task."""
        return f"{self.problem_id}/{self.src_id}"

    @field_validator("tests", mode="before")
    @classmethod
    def _numbers(cls, given: Any) -> tuple[int, ...] | None:
        """Numbers, or as PIE takes them too, numbers as strings."""
        if given is None:
            return None
        if not isinstance(given, list):
            raise ValueError(f"a list of the numbers of tests, not {_shown(given)}")
        if not given:
            raise ValueError("no tests: nothing says what is correct; remove the record")
        numbers = tuple(map(_number, given))
        if twice := sorted({one for one in numbers if numbers.count(one) > 1}):
            raise ValueError(f"test {twice[0]} is listed twice")
        return numbers

    @field_validator("n_tests")
    @classmethod
    def _enough(cls, count: float | None, others: ValidationInfo) -> float | None:
        listed = len(others.data.get("tests") or ())
        if count is not None and count < listed:
            raise ValueError(f"{count:.0f} is less than the {listed} tests that are listed")
        return count

    @field_validator("language")
    @classmethod
    def _cpp(cls, language: str | None) -> str | None:
        if language is not None and language.lower() not in {"c++", "cpp"}:
            raise ValueError(f"{language!r}, but only C++ is judged; remove the record")
        return language


@dataclass(frozen=True, slots=True)
class Line:
    """A record, its line, counted from 1, and whether it has older field names."""

    number: int
    record: Record
    older: bool


def read_records(path: Path, notes: Callable[[str], object]) -> Iterator[Line]:
    """The records of a file, line by line, without those of two equal programs.

    PIE leaves these out, too (``gem5/gem5_eval.py``). ``notes`` gets them at the end, and older
    field names once. Raises :class:`~maxcode.errors.TaskError` with file, line and field of the
    first mistake, and for a file without records.
    """
    number, noted = 0, False
    same: list[int] = []
    for number, raw in enumerate(_lines(path), 1):
        where = f"{path}, line {number}"
        fields = _parsed(where, raw)
        older = _renamed(where, fields)
        record = _checked(where, fields, older)
        if older and not noted:
            names = ", ".join(f"{old} (now {today})" for today, old in older.items())
            notes(f"{where}: older field names are understood: {names}")
            noted = True
        if record.src_code == record.tgt_code:
            same.append(number)
        else:
            yield Line(number, record, bool(older))
    if not number:
        raise TaskError(f"{path}: the file is empty; it should have one JSON object a line")
    if len(same) == number:
        raise TaskError(f"{path}: in each record the two programs are the same: nothing to learn")
    if same:
        notes(
            f"{path}: records left out since their two programs are the same, as PIE does it: "
            f"{len(same)}, the first on line {same[0]}"
        )


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from file
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}") from error


def _parsed(where: str, raw: bytes) -> dict[str, Any]:
    if not raw.strip():
        raise TaskError(f"{where}: the line is empty; remove it")
    try:
        fields = json.loads(raw.rstrip().decode(), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise TaskError(f"{where}: not UTF-8 text ({error.reason} at byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise TaskError(f"{where}, column {error.colno}: not valid JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{where}: {error}") from None
    if not isinstance(fields, dict):
        raise TaskError(f"{where}: a record is a JSON object, not {_shown(fields)}")
    return fields


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse duplicate fields, which Python's JSON reader accepts silently."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice}: the field is there twice; remove one")
    return fields


def _renamed(where: str, fields: dict[str, Any]) -> dict[str, str]:
    """Give fields their present names; returns the older names by those."""
    older: dict[str, str] = {}
    for name in [name for name in fields if name in OLDER_NAMES]:
        today = OLDER_NAMES[name]
        if today in fields:
            other = older.get(today, today)
            raise TaskError(f"{where}: {name}: {other} is there, too, and means the same")
        older[today] = name
        fields[today] = fields.pop(name)
    mixed = {"src_code", "tgt_code", "src_id", "tgt_id"} & fields.keys() - older.keys()
    if older and mixed:
        today, name = next(iter(older.items()))
        raise TaskError(
            f"{where}: {name}: an older field name (now {today}) beside {min(mixed)} of today; "
            "name all fields in one way"
        )
    return older


def _checked(where: str, fields: dict[str, Any], older: dict[str, str]) -> Record:
    known = Record.model_fields.keys()
    for name in fields:
        if name not in known and not _CARRIED.fullmatch(name):
            raise TaskError(
                f"{where}: {name}: no field that PIE's files have; is it misspelt? Else remove it"
            )
    try:
        return Record.model_validate(fields)
    except ValidationError as error:
        problems = []
        for problem in error.errors(include_url=False):
            first, *rest = map(str, problem["loc"])
            field = ".".join([older.get(first, first), *rest])  # as the file calls it
            problems.append(f"{where}: {field}: {problem_message(problem, 'field')}")
        raise TaskError("\n".join(problems)) from error


def _number(given: object) -> int:
    if isinstance(given, str) and re.fullmatch(r"0|[1-9][0-9]{0,8}", given):
        return int(given)
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        return given
    raise ValueError(f"the number of a test is a whole number of at least 0, not {_shown(given)}")


def _shown(value: object, limit: int = 60) -> str:
    text = json.dumps(value)
    return text if len(text) <= limit else text[:limit] + "..."


_TOLERANCE = 1e-3  # of a number that is a whole line: gem5/benchmarking.py, get_accuracy
_TEST = re.compile(r"(input|output)\.(0|[1-9][0-9]*)\.txt")


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
    record lists; a record of the older format, which lists none, is judged by all. Programs are
    built and limited as PIE does it: ``-O3``, C++17, 10 s a test; but a run that takes ten times as
    long as the slow program, and a second more, is given up as in all tasks. An output is right
    by PIE's comparison and not a line longer than expected; ``compat`` lets further lines pass, as
    PIE does (see :class:`~maxcode.tasks.checkers.Checker`, kinds ``values`` and ``pie``). Tasks are
    named "{problem_id}/{src_id}".

    ``notes`` is called for older field names and for records left out (by the limit, or since their
    two programs are the same, as PIE does it); unless given, these are warnings. All records are
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
    """All lines. Raises :class:`TaskError` when two tasks would have the same name."""
    numbers: dict[str, int] = {}
    lines = []
    for line in read_records(data, notes):
        name = line.record.task_name
        if (first := numbers.setdefault(name, line.number)) != line.number:
            raise TaskError(
                f"{data}, line {line.number}: src_id: {name} is on line {first}, too; remove one"
            )
        lines.append(line)
    return lines


def _task(where: str, line: Line, problem: _Problem, judging: Judging) -> ProgramTask:
    record, numbers = line.record, line.record.tests
    if numbers is None and not line.older:
        raise TaskError(f"{where}: tests: this field is missing; it lists the tests to judge by")
    return ProgramTask(
        name=record.task_name,
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
