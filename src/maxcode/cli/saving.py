"""Where a faster program is saved."""

from __future__ import annotations

import os
import re
from itertools import count
from pathlib import Path

from maxcode.errors import InputError
from maxcode.program import Program
from maxcode.result import Result


def check_place(out: str | None, program: Program) -> None:
    """Whether a program like this one can be saved there, before time is spent on finding one.

    Raises :class:`InputError` if not.
    """
    path = Path(out).absolute() if out else Path.cwd()
    if out and path.is_dir() and len(program.files) == 1:
        raise InputError(f"--out {out} is a folder; name a file in it")
    if out and path.exists() and not path.is_dir() and len(program.files) > 1:
        raise InputError(
            f"--out {out} is a file, and a program of {len(program.files)} files needs a folder"
        )
    check_writable(path)


def check_writable(path: Path) -> None:
    """Whether something can be written at an absolute path. Raises :class:`InputError` if not."""
    nearest = next(place for place in (path, *path.parents) if place.exists())
    if not os.access(nearest, os.W_OK) or not (nearest.is_dir() or nearest == path):
        raise InputError(f"cannot write {path}: {nearest} may not be written; give another --out")


def save_program(result: Result, out: str | None) -> Path:
    """Write the best program, one file as a file and several as a folder; gives its path.

    What is at ``out`` is overwritten. Without it the name is made of the task's, and a file there
    is replaced only if its text is a step of this run, so that nothing is lost; otherwise a free
    name is taken. Raises :class:`InputError` when it cannot be written.
    """
    path = Path(out).absolute() if out else _free(result, Path.cwd())
    program = result.program
    try:
        if len(program.files) > 1:
            program.write(path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(program.code.encode())
    except OSError as error:
        raise InputError(
            f"cannot write {path}: {error.strerror}; the program is kept: maxcode show "
            f"{result.run_id} --step {result.best.id} --json"
        ) from error
    return path


def _free(result: Result, folder: Path) -> Path:
    """The first of ``NAME.fast.cpp``, ``NAME.fast-2.cpp``, ... that may be written."""
    stem = re.sub(r"[^\w.-]+", "-", result.task).strip("-.") or "program"
    program = result.program
    suffix = Path(program.entry).suffix if len(program.files) == 1 else ""
    for number in count(1):
        path = folder / f"{stem}.fast{f'-{number}' if number > 1 else ''}{suffix}"
        if not path.exists() or _ours(result, path):
            break
    return path


def _ours(result: Result, path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        written = Program.of(path.read_bytes().decode(), result.program.entry)
    except UnicodeDecodeError:
        return False
    return result.tree.find(written.digest) is not None
