"""Plug-ins from strings: ``maxcode:k=4,d=10``, ``best-of-n``, ``package.module:Class,x=1``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from maxcode.errors import InputError, ToolError
from maxcode.interfaces import Critic, Generator, SearchPolicy

GENERATORS = {
    "pool": "maxcode.generators.pool:PoolGenerator",
    "rewrite": "maxcode.generators.rewrite:RewriteGenerator",
}
CRITICS = {"profile": "maxcode.critics.profile:ProfileCritic"}
POLICIES = {
    "maxcode": "maxcode.policies.maxcode_loop:MaxCodeLoop",
    "best-of-n": "maxcode.policies.best_of_n:BestOfN",
}

_NONE = {"critic": ("none",)}
_P = TypeVar("_P")


def make_generator(text: str) -> Generator:
    """The generator that ``text`` names. Raises :class:`InputError`."""
    plugin, options = _find(text, "generator", GENERATORS)
    if not issubclass(plugin, Generator):
        raise InputError(f"{text!r} is no generator: it does not inherit maxcode.Generator")
    return _construct(text, plugin, options)


def make_policy(text: str) -> SearchPolicy:
    """The search policy that ``text`` names. Raises :class:`InputError`."""
    plugin, options = _find(text, "policy", POLICIES)
    if not issubclass(plugin, SearchPolicy):
        raise InputError(f"{text!r} is no policy: it does not inherit maxcode.SearchPolicy")
    return _construct(text, plugin, options)


def make_critic(text: str) -> Critic | None:
    """The critic that ``text`` names; "none" is none. Raises :class:`InputError`."""
    if text == "none":
        return None
    plugin, options = _find(text, "critic", CRITICS)
    if not issubclass(plugin, Critic):
        raise InputError(f"{text!r} is no critic: it does not inherit maxcode.Critic")
    return _construct(text, plugin, options)


def _find(text: str, kind: str, known: Mapping[str, str]) -> tuple[type, str]:
    """The class that ``text`` names, and its options as they were written."""
    name, _, options = text.partition(":")
    if name in known:
        home, _, title = known[name].partition(":")
    else:
        home = name
        title, _, options = options.partition(",")
    plugin = None
    if title.isidentifier() and all(part.isidentifier() for part in home.split(".")):
        plugin = _imported(home, title)
    if plugin is None:
        raise InputError(
            f"unknown {kind} {text!r}; known: {', '.join([*known, *_NONE.get(kind, ())])}, "
            "or your own as package.module:Class, named as in an import, if Python can import it "
            "from here"
        )
    return plugin, options


def _imported(home: str, title: str) -> type | None:
    """The class; None when there is no such module or class."""
    folder = str(Path.cwd())
    if folder not in sys.path:  # as for `python -m`: people keep plug-ins beside what they work on
        sys.path.append(folder)
    try:
        found = getattr(import_module(home), title, None)
    except (Exception, SystemExit) as error:  # whatever the module does when it is imported
        if isinstance(error, ModuleNotFoundError) and f"{home}.".startswith(f"{error.name}."):
            return None
        raise InputError(f"cannot import {home}: {_told(error)}") from error
    return found if isinstance(found, type) else None


def _construct(text: str, plugin: type[_P], options: str) -> _P:
    try:
        return plugin(**_read(text, plugin, options))
    except (InputError, ToolError):
        raise
    except Exception as error:
        raise InputError(
            f"cannot construct {plugin.__name__} ({text!r}): {_told(error)}"
        ) from error


def _told(error: BaseException) -> str:
    return (
        f"{type(error).__name__}: {error}; mend that (maxcode --debug COMMAND ... shows "
        "where it comes from)"
    )


def _read(text: str, plugin: type, arguments: str) -> dict[str, object]:
    """``k=4,d=10`` as the types that the constructor of ``plugin`` declares."""
    parameters = inspect.signature(plugin, eval_str=bool(arguments)).parameters
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
