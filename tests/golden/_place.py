"""Where the golden files lie, and how they are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent
JOURNALS = FOLDER / "journals"

DOCUMENTS = FOLDER / "documents.json"

MAKE = "python -m tests.golden.make"
"""Writes all of them anew, but for the journals themselves."""


def read(path: Path) -> Any:
    """The content of a golden file."""
    return json.loads(path.read_text(encoding="utf-8"))


def write(path: Path, value: Any) -> None:
    """Write a golden file: what is short, and rows of tables, on a line, so that diffs are read."""
    path.write_text(_told(value) + "\n", encoding="utf-8")


def _told(value: Any, indent: str = "") -> str:
    line = json.dumps(value, ensure_ascii=False)
    row = isinstance(value, list) and not any(isinstance(one, dict | list) for one in value)
    if row or len(line) + len(indent) <= 100 or not isinstance(value, dict | list):
        return line
    inside = indent + " "
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {_told(one, inside)}" for key, one in value.items()]
        return "{\n" + ",\n".join(inside + item for item in items) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inside + _told(one, inside) for one in value) + f"\n{indent}]"
