"""TOML files, with errors by key."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
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

    Raises :class:`~maxcode.errors.TaskError` with the file and the key of a mistake.
    """
    text = read_text(path, TaskError)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TaskError(f"{path}: not valid TOML: {error}") from error
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = [
            f"{path}: {'.'.join(map(str, problem['loc']))}: {_message(problem)}"
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


def as_toml(tables: Mapping[str, Mapping[str, object]]) -> str:
    """Tables by their titles as text, without empty tables and None."""
    blocks = []
    for title, table in tables.items():
        pairs = [f"{key} = {_value(one)}" for key, one in table.items() if one is not None]
        blocks += ["\n".join([f"[{title}]"] * bool(title) + pairs)] if pairs else []
    return "\n\n".join(blocks) + "\n"


def _value(value: object) -> str:
    """JSON's strings, numbers and lists are TOML's, once DEL is escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
