"""Docstrings for the reference: cross-references as links, and the fields of models."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:class|func|meth|mod|attr|data|exc):`(~?)([\w.]+)`")
LITERAL = re.compile(r"(?m)^(.*?)[ ]?::$")
MODELS = {"pydantic.BaseModel", "pydantic.main.BaseModel"}


class CrossReferences(griffe.Extension):
    """Turns ``:class:`~maxcode.errors.TaskError``` into a link, and ``::`` into a colon."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for each object once it and its members are read."""
        if obj.docstring:
            text = ROLE.sub(lambda match: _link(obj, match), obj.docstring.value)
            obj.docstring.value = LITERAL.sub(lambda m: f"{m[1]}:" if m[1] else "", text)


class Fields(griffe.Extension):
    """Gives pydantic's models the constructor that they have, as dataclasses are given theirs."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Called when all modules are read."""
        for model in filter(_is_model, _classes(pkg)):
            _add_constructor(model)


def _link(obj: griffe.Object, match: re.Match[str]) -> str:
    short, path = match[1], match[2]
    text = path.rsplit(".", 1)[-1] if short else path
    try:
        target = path if path.startswith("maxcode.") else obj.resolve(path)
    except griffe.NameResolutionError:
        return f"`{text}`"
    return f'<autoref identifier="{target}" optional><code>{text}</code></autoref>'


def _classes(place: griffe.Object) -> list[griffe.Class]:
    found: list[griffe.Class] = []
    for member in place.members.values():
        if isinstance(member, griffe.Class):
            found.append(member)
        if isinstance(member, griffe.Class | griffe.Module):
            found += _classes(member)
    return found


def _is_model(one: griffe.Class) -> bool:
    bases = [base if isinstance(base, str) else base.canonical_path for base in one.bases]
    parents = [base for base in one.resolved_bases if isinstance(base, griffe.Class)]
    return any(base in MODELS for base in bases) or any(map(_is_model, parents))


def _add_constructor(model: griffe.Class) -> None:
    fields = [
        griffe.Parameter(
            field.name,
            annotation=field.annotation,
            kind=griffe.ParameterKind.keyword_only,
            default=field.value,
        )
        for field in model.attributes.values()
        if field.annotation and not field.is_private and not field.has_labels("property")
    ]
    own = griffe.ParameterKind.positional_or_keyword
    parameters = griffe.Parameters(griffe.Parameter("self", kind=own), *fields)
    model.set_member("__init__", griffe.Function("__init__", parameters=parameters))
