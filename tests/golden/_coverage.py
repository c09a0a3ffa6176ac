"""Which fields of events, and of what is in them, no journal makes use of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Schema = dict[str, Any]


def unused(schema: Schema, events: Iterable[Schema]) -> list[str]:
    """Fields that are null, or have their default, in all events; and kinds that there is none of.

    ``schema`` is that of events as JSON Schema.
    """
    definitions = schema["$defs"]
    fields = {
        f"{name}.{field}"
        for name, one in definitions.items()
        for field in one.get("properties", ())
        if field != "kind"
    }
    kinds = {
        one["properties"]["kind"]["const"]: name
        for name, one in definitions.items()
        if "kind" in one.get("properties", ())
    }
    used: set[str] = set()
    for event in events:
        used.update(_used(definitions, {"$ref": kinds[event["kind"]]}, event))
    return sorted({*fields, *kinds.values()} - used)


def _used(definitions: Schema, node: Schema, value: Any) -> Iterator[str]:
    name = node.get("$ref", "").rpartition("/")[2]
    node = definitions.get(name, node)
    for option in node.get("anyOf", ()):
        yield from _used(definitions, option, value)
    if isinstance(value, dict):
        yield name
        for field, inner in node.get("properties", {}).items():
            if value.get(field) not in (None, inner.get("default")):
                yield f"{name}.{field}"
            yield from _used(definitions, inner, value.get(field))
    if isinstance(value, list):
        first = node.get("prefixItems", ())
        for number, item in enumerate(value):
            inner = first[number] if number < len(first) else node.get("items")
            yield from _used(definitions, inner or {}, item)
