"""Shapes: what documents have in common, whatever they tell."""

from __future__ import annotations

from typing import Any

_BY_NAME = ("models", "features", "files", "families", "efficiency", "evaluations")
"""Keys whose values have chosen names and one shape."""


def shape(*values: Any) -> Any:
    """The keys of values of one kind, and the types of what is under them.

    A key that only some of them have ends with a question mark.
    """
    kinds = {type(one).__name__ for one in values if isinstance(one, str | int | float)}
    found: list[Any] = ["|".join(sorted(kinds - {"int"} if "float" in kinds else kinds))]
    if objects := [one for one in values if isinstance(one, dict)]:
        found.append(_shape_of_objects(objects))
    if lists := [one for one in values if isinstance(one, list | tuple)]:
        items = [item for one in lists for item in one]
        found.append([shape(*items)] if items else [])
    told = [one for one in found if one != ""]
    known: Any = told[0] if len(told) == 1 else {"one of": told} if told else "null"
    if None not in values or not told:
        return known
    return f"{known}|null" if isinstance(known, str) else {"null or": known}


def _shape_of_objects(objects: list[dict[Any, Any]]) -> dict[str, Any]:
    told = {}
    for key in dict.fromkeys(str(key) for one in objects for key in one):
        there = [one[key] for one in objects if key in one]
        named = key in _BY_NAME and all(isinstance(one, dict) for one in there)
        inside = [{"*": value} for one in there for value in one.values()] if named else there
        told[key if len(there) == len(objects) else f"{key}?"] = shape(*inside) if inside else {}
    return told
