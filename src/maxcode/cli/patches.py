"""Patches of the best program, for `git apply`."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

from maxcode.cli.summary import NO_FLAGS, patch
from maxcode.errors import InputError
from maxcode.files import write_bytes
from maxcode.search.result import Result
from maxcode.sources import to_bytes

_SUFFIX = ".maxcode.patch"  # which no snapshot of a project takes for a file of its own


def save_patch(result: Result, out: str | None) -> Path:
    """Write the patch to the best program, to NAME.maxcode.patch if not to ``out``; gives its path.

    Raises :class:`InputError` when it cannot be written.
    """
    text = patch(result)
    path = Path(out).absolute() if out else _free(result, text)
    write_bytes(path, to_bytes(text))
    return path


def _free(result: Result, text: str) -> Path:
    """The first name free or of this very patch."""
    stem = re.sub(r"[^\w.-]+", "-", result.task).strip("-.") or "project"
    for number in count(1):
        path = Path.cwd() / f"{stem}{f'-{number}' if number > 1 else ''}{_SUFFIX}"
        if not path.exists() or path.read_bytes() == to_bytes(text):
            return path
    raise InputError("no name is free")  # never: numbers do not end


def flags_of(text: str) -> str | None:
    """The compiler flags of a patch; None for none."""
    found = re.search(r"^# compile with: (.*)$", text, re.MULTILINE)
    return found[1].strip().replace(NO_FLAGS, "") if found else None
