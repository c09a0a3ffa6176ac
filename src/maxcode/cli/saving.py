"""Where the best program of a run goes: a file, a folder, or a patch for `git apply`."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from pathlib import Path

from maxcode.cli.console import check_writable, command
from maxcode.errors import InputError
from maxcode.files import write_bytes
from maxcode.program import Program
from maxcode.report.closing import only_flags, patch
from maxcode.search.result import Result
from maxcode.sources import from_bytes, to_bytes


def check_place(out: str | None, program: Program) -> None:
    """Raise :class:`InputError` where a program of these files cannot be saved."""
    path = Path(out).absolute() if out else Path.cwd()
    if out and path.is_dir() and len(program.files) == 1:
        raise InputError(f"--out {out} is a folder; name a file in it")
    if out and path.exists() and not path.is_dir() and len(program.files) > 1:
        raise InputError(
            f"--out {out} is a file, and a program of {len(program.files)} files needs a folder"
        )
    check_writable(path)


def save_program(result: Result, out: str | None, store: str | None = None) -> Path:
    """Write the best program, several files as a folder; gives its path.

    A file at ``out`` is overwritten. Without it the name is made of the task's, and a file there
    is replaced only if its text is a step of this run, so that nothing is lost; otherwise a free
    name is taken. Raises :class:`InputError` when it cannot be written, with the command that shows
    it, from the run's ``store``.
    """
    program = result.program
    suffix = Path(program.entry).suffix if len(program.files) == 1 else ""
    path = _place(result, out, (".fast", suffix), lambda there: _is_step(result, there))
    try:
        if len(program.files) > 1:
            program.write(path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(to_bytes(program.code))
    except OSError as error:
        kept = command("show", result.run_id, "--step", result.best.id, "--json", store=store)
        raise InputError(
            f"cannot write {path}: {error.strerror}; the program is kept: {kept}"
        ) from error
    return path


def save_patch(result: Result, out: str | None) -> Path | None:
    """Write the patch to the best program, to NAME.maxcode.patch if not to ``out``; gives its path.

    Compiler flags alone are written to ``out`` only, as git finds no patch there. No snapshot of a
    project takes a file of that name for its own. Raises :class:`InputError` when it cannot be
    written.
    """
    if not out and only_flags(result):
        return None
    text = to_bytes(patch(result))
    path = _place(result, out, ("", ".maxcode.patch"), lambda there: there.read_bytes() == text)
    write_bytes(path, text)
    return path


def _place(
    result: Result, out: str | None, ending: tuple[str, str], ours: Callable[[Path], bool]
) -> Path:
    """The path ``out``, or else the first free one by the task's name, or one that is ``ours``."""
    if out:
        return Path(out).absolute()
    stem = re.sub(r"[^\w.-]+", "-", result.task).strip("-.") or "program"
    names = (f"-{number}" if number > 1 else "" for number in count(1))
    paths = (Path.cwd() / f"{stem}{ending[0]}{name}{ending[1]}" for name in names)
    return next(path for path in paths if not path.exists() or ours(path))


def _is_step(result: Result, path: Path) -> bool:
    """Whether the file holds a program of this run."""
    if not path.is_file():
        return False
    try:
        written = Program.of(from_bytes(path.read_bytes()), result.program.entry)
    except UnicodeDecodeError:
        return False
    return result.tree.find(written.digest) is not None
