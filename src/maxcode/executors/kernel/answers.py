"""Answers of workers, which may be hostile, decoded strictly."""

from __future__ import annotations

from functools import cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from maxcode.executors.kernel.worker.messages import Build, Failure

Value = TypeVar("Value")


class MessageError(ValueError):
    """An answer is not of the expected form."""


class _Answer(BaseModel, Generic[Value]):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    token: str
    answer: Value | None = None
    build: Build | None = None
    failure: Failure | None = None


@cache  # to make one takes milliseconds
def _model(hint: Any) -> type[_Answer[Any]]:
    made: type[_Answer[Any]] = _Answer[hint]
    return made


def decode(line: bytes, token: str, hint: Any) -> Any:
    """The answer of this type in a line of JSON, or a :class:`Build` or :class:`Failure` instead.

    Raises :class:`MessageError`, which names the field at fault, for an answer of another form or
    with another token.
    """
    try:
        found = _model(hint).model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise MessageError(f"{where} {first['msg']}"[:300].strip()) from None
    if found.token != token:
        raise MessageError("it was not asked for that")
    given = found.model_fields_set - {"token"}
    if len(given) != 1:
        raise MessageError("no answer, or several")
    return getattr(found, given.pop())
