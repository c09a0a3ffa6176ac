"""TOML files, with errors by key and line."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from maxcode.errors import InputError, TaskError
from maxcode.files import read_text
from maxcode.tasks.checkers import wrong_kind

Model = TypeVar("Model", bound=BaseModel)

Seconds = Annotated[float, Field(gt=0, le=86_400)]
"""A limit in a task's file."""


def _known(kind: str) -> str:
    if problem := wrong_kind(kind):
        raise ValueError(problem)
    return kind


KindOfCheck = Annotated[str, AfterValidator(_known)]
"""How outputs are compared, as :class:`~maxcode.tasks.checkers.Checker` has it."""

Tolerance = Annotated[float, Field(ge=0, allow_inf_nan=False)]


MEBIBYTES = AfterValidator(lambda number: number << 20)
"""Marks a number of bytes that is in MiB in a task's file."""

CLOSED = ConfigDict(extra="forbid", frozen=True)
"""For ``__pydantic_config__`` of a dataclass that is a table of a task's file."""


class Table(BaseModel):
    """A table of a task's file; an unknown key is an error."""

    model_config = CLOSED


def read_toml(path: Path, model: type[Model]) -> Model:
    """The file as an instance of ``model``.

    Raises :class:`~maxcode.errors.TaskError` with file, line and key of a mistake.
    """
    text = read_text(path, TaskError)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TaskError(f"{path}: not valid TOML: {error}") from error
    try:
        return model.model_validate(values)
    except ValidationError as error:
        lines = _lines_of_keys(text)
        problems = [
            f"{path}{_place(problem['loc'], lines)}: {'.'.join(map(str, problem['loc']))}: "
            + _message(problem)
            for problem in error.errors(include_url=False)
        ]
        raise TaskError("\n".join(problems)) from error
    except InputError as error:
        raise TaskError(f"{path}: {error}") from error


def _message(problem: ErrorDetails) -> str:
    if problem["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return "no such key; is it misspelt, or in the wrong table?"
    if problem["type"] == "missing":
        return "this key is missing"
    message = problem["msg"].removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def _place(location: Sequence[int | str], lines: dict[tuple[str, ...], int]) -> str:
    """``, line 7``: of the key, or of the innermost table around a missing key."""
    keys = tuple(map(str, location))
    found = (lines.get(keys[:length]) for length in range(len(keys), 0, -1))
    line = next(filter(None, found), None)
    return f", line {line}" if line else ""


def _lines_of_keys(text: str) -> dict[tuple[str, ...], int]:
    """The line, counted from 1, of each key and table at the beginning of a line.

    The elements of an array of tables have their number, counted from 0, in their keys.
    """
    lines: dict[tuple[str, ...], int] = {}
    elements: Counter[tuple[str, ...]] = Counter()
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _parts(header[2])
            if header[1] == "[[":
                elements[table] += 1
                table += (str(elements[table] - 1),)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            parts = table + _parts(key[1])
            for length in range(len(table) + 1, len(parts) + 1):
                lines.setdefault(parts[:length], number)
    return lines


_HEADER = re.compile(r"\s*(\[\[?)([^\]]+)\]")
_KEY = re.compile(r"\s*([\w.\"' -]+?)\s*=")


def _parts(key: str) -> tuple[str, ...]:
    return tuple(part.strip(" \t\"'") for part in key.split("."))
