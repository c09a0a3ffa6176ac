"""TOML files, with errors by key and line."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import tree_sitter
import tree_sitter_toml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from maxcode.errors import TaskError
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


class Table(BaseModel):
    """A table of a task's file; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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
            + problem_message(problem, "key", "no such key; is it misspelt, or in the wrong table?")
            for problem in error.errors(include_url=False)
        ]
        raise TaskError("\n".join(problems)) from error


def problem_message(problem: ErrorDetails, noun: str, unknown: str = "") -> str:
    """Pydantic's finding about a ``noun``; ``unknown`` is the message for an unknown key."""
    if problem["type"] == "extra_forbidden":
        return unknown
    if problem["type"] == "missing":
        return f"this {noun} is missing"
    message = problem["msg"].removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def _place(location: Sequence[int | str], lines: dict[tuple[str, ...], int]) -> str:
    """``, line 7``: of the key, or of the innermost table around a missing key."""
    keys = tuple(map(str, location))
    for length in range(len(keys), 0, -1):
        if line := lines.get(keys[:length]):
            return f", line {line}"
    return ""


def _lines_of_keys(text: str) -> dict[tuple[str, ...], int]:
    """The line, counted from 1, of each key and table of a valid TOML text.

    The elements of an array of tables have their number, counted from 0, in their keys.
    """
    language = tree_sitter.Language(tree_sitter_toml.language())
    root = tree_sitter.Parser(language).parse(text.encode()).root_node
    lines: dict[tuple[str, ...], int] = {}
    elements: Counter[tuple[str, ...]] = Counter()

    def note(node: tree_sitter.Node, table: tuple[str, ...]) -> None:
        if not node.named_children:
            return
        key = table + _parts(node.named_children[0])
        lines.setdefault(key, node.start_point.row + 1)
        if node.type == "table_array_element":
            key += (str(elements[key]),)
            elements[key[:-1]] += 1
            lines[key] = node.start_point.row + 1
        for child in node.named_children[1:]:
            if child.type == "pair":
                note(child, key)
            elif child.type == "inline_table":
                for pair in child.named_children:
                    note(pair, key)

    for node in root.named_children:
        if node.type in ("pair", "table", "table_array_element"):
            note(node, ())
    return lines


def _parts(key: tree_sitter.Node) -> tuple[str, ...]:
    if key.type == "dotted_key":
        return tuple(part for child in key.named_children for part in _parts(child))
    return ((key.text or b"").decode().strip("\"'"),)
