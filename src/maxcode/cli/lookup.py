"""Plug-ins from their names, such as ``maxcode:k=4,d=10``.

The class is found through the entry points of installed packages, or as ``package.module:Class``;
options are read as the types declared by its constructor.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from maxcode.errors import InputError, ToolError
from maxcode.interfaces import Critic, Executor, Generator, RewardToGo, SearchPolicy
from maxcode.report.loggers import RunLogger
from maxcode.text import did_you_mean

_P = TypeVar("_P")

KINDS: dict[str, tuple[str, type]] = {
    "generator": ("maxcode.generators", Generator),
    "policy": ("maxcode.policies", SearchPolicy),
    "executor": ("maxcode.executors", Executor),
    "critic": ("maxcode.critics", Critic),
    "reward-to-go model": ("maxcode.reward_to_go", RewardToGo),
    "run logger": ("maxcode.observers", RunLogger),
}
"""The entry-point group of each kind of plug-in, and the base class of the kind."""


@cache
def _installed() -> Any:
    return entry_points()  # reads the metadata of every installed package


def plugin_names(kind: str) -> list[str]:
    """Names of plug-ins of a kind of :data:`KINDS` in installed packages."""
    return sorted(_installed().select(group=KINDS[kind][0]).names)


def make_plugin(text: str, kind: str, others: Collection[str] = ()) -> Any:
    """The plug-in of a kind named by ``text``, as of :func:`find_class`."""
    plugin, options = find_class(text, kind, others)
    return constructed(text, plugin, options)


def find_class(text: str, kind: str, others: Collection[str] = ()) -> tuple[type, str]:
    """The class named by ``text``, and the text of its options.

    ``others`` are further known names, for the error. Raises :class:`InputError`.
    """
    group, base = KINDS[kind]
    name, _, options = text.partition(":")
    places = sorted({entry.value for entry in _installed().select(group=group, name=name)})
    if len(places) > 1:
        raise InputError(f"several plug-ins are called {name}; write {' or '.join(places)}")
    if not places and options:
        title, _, options = options.partition(",")
        places = [f"{name}:{title}"]
    for place in places:
        if (found := _imported(place)) is None:
            continue
        if not isinstance(found, type) or not issubclass(found, base):
            raise InputError(f"{text!r} is no {kind}: it does not inherit maxcode.{base.__name__}")
        return found, options
    known = [*plugin_names(kind), *others]
    raise InputError(
        f"unknown {kind} {text!r}{did_you_mean(name, known)}; known: {', '.join(known)}, "
        "or your own as package.module:Class, named as in an import that works here"
    )


def check_there(path: Path, noun: str = "file") -> None:
    """Raise :class:`InputError` for a missing path; it names a path of similar spelling."""
    if not path.exists():
        there = sorted(os.listdir(path.parent)) if path.parent.is_dir() else []
        close = get_close_matches(path.name, there, n=1)
        meant = f"; did you mean {path.parent / close[0]}?" if close else ""
        raise InputError(f"there is no {noun} {path}{meant}")


def _imported(place: str) -> object:
    """The object at ``package.module:Class``; None where there is no such module."""
    folder = str(Path.cwd())
    if folder not in sys.path:  # as for `python -m`: people keep plug-ins beside what they work on
        sys.path.append(folder)
    home = place.partition(":")[0]
    if not re.fullmatch(r"\w+(\.\w+)*:\w+", place):
        return None
    try:
        return resolve_name(place)
    except (Exception, SystemExit) as error:  # whatever the module does when it is imported
        if isinstance(error, ModuleNotFoundError) and f"{home}.".startswith(f"{error.name}."):
            return None
        raise InputError(f"cannot import {home}: {_in_a_line(error)}") from error


def constructed(text: str, plugin: type[_P], options: str, **given: object) -> _P:
    """An instance of the class named by ``text``, with options such as ``k=4,d=10``.

    ``given`` are further arguments, which no option may set. Raises :class:`InputError` with the
    unreadable part.
    """
    try:
        return plugin(**_read(text, plugin, options, given), **given)
    except (InputError, ToolError):
        raise
    except Exception as error:
        raise InputError(
            f"cannot construct {plugin.__name__} ({text!r}): {_in_a_line(error)}"
        ) from error


def _in_a_line(error: BaseException) -> str:
    return (
        f"{type(error).__name__}: {error}; mend that (maxcode --debug COMMAND ... shows "
        "where it comes from)"
    )


def _read(text: str, plugin: type, options: str, given: Mapping[str, object]) -> dict[str, object]:
    """``k=4,d=10`` as the types declared by the constructor of ``plugin``."""
    signature = inspect.signature(plugin, eval_str=bool(options))
    parameters = {n: p for n, p in signature.parameters.items() if n not in given}
    known = f"{plugin.__name__} takes: {', '.join(parameters) or 'no options'}"
    values: dict[str, object] = {}
    for part in filter(None, (part.strip() for part in options.split(","))):
        name, equals, value = part.partition("=")
        if not equals or name not in parameters:
            close = did_you_mean(name, parameters)
            raise InputError(f"cannot read {part!r} in {text!r}{close}; {known}")
        declared = parameters[name].annotation
        kind = str if declared is inspect.Parameter.empty else declared
        try:
            values[name] = TypeAdapter(kind).validate_strings(value)
        except ValidationError as error:
            raise InputError(f"{part!r} in {text!r}: {first_message(error).lower()}") from error
    try:
        signature.bind(**values, **given)
    except TypeError as error:
        raise InputError(f"{text!r}: {error}; {known}") from error
    return values


def first_message(error: ValidationError) -> str:
    """The message of the first error."""
    return str(error.errors(include_url=False)[0]["msg"])


def split_options(options: str, names: Collection[str]) -> tuple[str, str]:
    """The other options, and the options of these names."""
    parts = [part.strip() for part in options.split(",") if part.strip()]
    chosen = [part for part in parts if part.partition("=")[0] in names]
    return ",".join(part for part in parts if part not in chosen), ",".join(chosen)
