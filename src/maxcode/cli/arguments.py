"""Constructor arguments from text: ``k=4,d=10``, read as the types that are declared."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from maxcode.errors import InputError, ToolError

_P = TypeVar("_P")


def constructed(text: str, plugin: type[_P], options: str, **given: object) -> _P:
    """What ``text`` names: the class with its options, as ``k=4,d=10``, and what else is given.

    Raises :class:`InputError` that quotes what cannot be read.
    """
    try:
        return plugin(**_read(text, plugin, options, given), **given)
    except (InputError, ToolError):
        raise
    except Exception as error:
        raise InputError(f"cannot construct {plugin.__name__} ({text!r}): {told(error)}") from error


def told(error: BaseException) -> str:
    """What somebody else's code raised, in a line."""
    return (
        f"{type(error).__name__}: {error}; mend that (maxcode --debug COMMAND ... shows "
        "where it comes from)"
    )


def _read(text: str, plugin: type, arguments: str, given: Collection[str]) -> dict[str, object]:
    """``k=4,d=10`` as the types that the constructor of ``plugin`` declares."""
    signature = inspect.signature(plugin, eval_str=bool(arguments))
    parameters = {n: p for n, p in signature.parameters.items() if n not in given}
    known = f"{plugin.__name__} takes: {', '.join(parameters) or 'no options'}"
    values: dict[str, object] = {}
    for part in filter(None, (part.strip() for part in arguments.split(","))):
        name, equals, value = part.partition("=")
        if not equals or name not in parameters:
            raise InputError(f"cannot read {part!r} in {text!r}; {known}")
        try:
            declared = parameters[name].annotation
            kind = str if declared is inspect.Parameter.empty else declared
            values[name] = TypeAdapter(kind).validate_strings(value)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]["msg"]
            raise InputError(f"{part!r} in {text!r}: {problem.lower()}") from error
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and name not in values
    ]
    if missing:
        raise InputError(f"{text!r} lacks {', '.join(missing)}; {known}")
    return values
