"""Public names: where they are, and what of them is promised.

A name is promised, and what it takes and offers; the module that it is in is not, but for
``maxcode`` itself.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, is_dataclass
from enum import Enum
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, get_origin

from tests.golden._place import ROOT

import maxcode

_DESCRIBED = re.compile(r"^::: (maxcode[\w.]*)", re.MULTILINE)


def exported() -> dict[str, Any]:
    """What ``maxcode`` offers, by name."""
    return {name: described(getattr(maxcode, name)) for name in sorted(dir(maxcode))}


def documented() -> Iterator[tuple[str, str]]:
    """Module and name of all that the reference describes and that is not in ``maxcode`` itself."""
    for page in sorted((ROOT / "docs" / "reference").glob("*.md")):
        for path in _DESCRIBED.findall(page.read_text(encoding="utf-8")):
            module, _, name = path.rpartition(".")
            if module != maxcode.__name__ and not _is_module(path):
                yield module, name


def references() -> dict[str, list[Any]]:
    """What the reference describes, by name: several things may have the same one."""
    told: defaultdict[str, list[Any]] = defaultdict(list)
    for module, name in sorted(documented(), key=lambda one: (one[1].lower(), *one)):
        package = module.split(".")[1]
        one = getattr(import_module(module), name)
        told[name].append({"in": package, "what": described(one)})
    return told


def found(name: str) -> list[Any]:
    """All that is called so, in whatever module of the package."""
    return [getattr(import_module(module), name) for module in sorted(_defined()[name])]


def described(one: Any) -> Any:
    """What is promised of it: its parameters and public members, or what kind of value it is."""
    if inspect.isclass(one):
        bases = [base.__name__ for base in one.__mro__[1:] if base.__module__.startswith("maxcode")]
        public = [name for name in bases if not name.startswith("_")]
        told = {"class": signature(one), "is": public} if public else {"class": signature(one)}
        return {**told, **dict(_members(one))}
    if inspect.isroutine(one):
        return signature(one)
    if isinstance(one, tuple | str | int | float):
        return f"= {one!r}"
    return "a type" if get_origin(one) is not None else f"a value: {type(one).__name__}"


def signature(one: Any) -> str:
    """Parameters with their defaults, without types."""
    if inspect.isclass(one) and issubclass(one, Enum):
        return "(value)"
    if inspect.isclass(one) and one.__init__ is Exception.__init__:
        return "(...)"  # versions of Python do not agree on it
    parameters = inspect.signature(one).parameters.values()
    bare = [
        parameter.replace(annotation=parameter.empty, default=_default(parameter.default))
        for parameter in parameters
    ]
    return str(inspect.Signature(bare))


@dataclass
class _Made:
    value: list[str] = field(default_factory=list)


_FACTORY = inspect.signature(_Made).parameters["value"].default
"""What a signature has as the default of what is made anew each time."""


class _Verbatim(str):
    """A text that a signature shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _default(value: Any) -> Any:
    """The default as a signature shall show it: the same on every machine, in any module."""
    if value is inspect.Parameter.empty:
        return value
    if inspect.isclass(value) or inspect.isroutine(value):
        return _Verbatim(value.__qualname__)
    if isinstance(value, Enum):
        return _Verbatim(value)
    if value is _FACTORY:
        return _Verbatim("<factory>")
    plain = isinstance(value, str | int | float | tuple | None) or is_dataclass(value)
    return _Verbatim(repr(value) if plain else f"<{type(value).__name__}>")


def _members(one: type) -> Iterator[tuple[str, str]]:
    """Public methods and properties, its own and those of the bases that are ours."""
    if issubclass(one, Enum):
        yield from ((name, f"= {member.value!r}") for name, member in one.__members__.items())
        return
    for name in sorted(dir(one)):
        owner = next((base for base in one.__mro__ if name in vars(base)), object)
        if name.startswith("_") or not owner.__module__.startswith("maxcode"):
            continue
        member = inspect.getattr_static(one, name)
        if isinstance(member, property | cached_property):
            yield name, "property"
        elif isinstance(member, classmethod | staticmethod) or inspect.isroutine(member):
            yield name, signature(getattr(one, name))


def _is_module(path: str) -> bool:
    place = ROOT / "src" / Path(*path.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()


@cache
def _defined() -> dict[str, set[str]]:
    """The modules that define each name, read from their sources: nothing is imported."""
    modules: defaultdict[str, set[str]] = defaultdict(set)
    source = ROOT / "src"
    for path in source.rglob("*.py"):
        parts = path.relative_to(source).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            for name in _named(statement):
                modules[name].add(module)
    return modules


def _named(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return [name]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
    return []
