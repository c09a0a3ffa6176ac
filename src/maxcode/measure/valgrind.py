"""Valgrind, as this library runs it: a copy of its tools that takes no orders from the program.

A program speaks to valgrind by *client requests*, a sequence of instructions without effect on a
processor (valgrind manual, 3.1), to run a function uncounted or to write to valgrind's log; and by
functions whose names make valgrind run them in place of others. Our copy recognises neither.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from maxcode.errors import ToolError
from maxcode.sandbox.base import Completed, Files, Limits, Sandbox
from maxcode.system import ScratchFolder, cache_folder, find_tool

START = 5.0
"""Seconds valgrind may take for itself."""

_ROOM = 4 << 30  # bytes of address space for itself and translated code; it touches few of them
_DESCRIPTORS = 16  # that it keeps open beyond the program's
_NAMES = {tool: f"{tool}-amd64-linux" for tool in ("cachegrind", "callgrind")}
_PLACES = ("libexec/valgrind", "lib/valgrind", "lib64/valgrind", "lib/x86_64-linux-gnu/valgrind")
_INSTEAD = "measure cpu (--meter cpu) or another meter"
_RECOGNISES = {
    # The decoder compares the bytes of the sequence one by one, from 0x48 0xC1 0xC7 0x03 0x48 on:
    # `cmpb $0xC1, 1(reg)`, a jump, `cmpb $0xC7, 2(reg)`, and so on.
    "requests": re.compile(
        rb"\x80([\x78-\x7b\x7d-\x7f])\x01\xc1.{2,6}\x80\1(?P<place>\x02)\xc7.{2,6}"
        rb"\x80\1\x03\x03.{2,6}\x80\1\x04\x48",
        re.DOTALL,
    ),
    # So it does with names that begin with _vgr or _vgw: `cmpb $'v', 1(reg)`, `cmpb $'g', 2(reg)`.
    "names": re.compile(
        rb"\x80([\x78-\x7b\x7d-\x7f])\x01v.{2,6}\x80\1(?P<place>\x02)g.{2,6}"
        rb"\x0f\xb6.\x03.{0,4}r",
        re.DOTALL,
    ),
}


def widened(limits: Limits, slowdown: float) -> Limits:
    """Limits of a program, widened for a tool of this ``slowdown``."""
    return replace(
        limits,
        seconds=START + slowdown * limits.seconds,
        memory=None if limits.memory is None else limits.memory + _ROOM,
        files=limits.files + _DESCRIPTORS,
    )


def run_under_valgrind(
    sandbox: Sandbox, tool: str, command: Sequence[str], limits: Limits, files: Files
) -> Completed:
    """Run a tool of valgrind with options and a program, given together as ``command``.

    ``limits`` are for both together. Raises :class:`~maxcode.errors.ToolError` when valgrind is
    missing, or is of a build that cannot be kept from taking orders.
    """
    found = find_tool("valgrind")
    tools = _tools(found)
    environment = f"VALGRIND_LIB={tools}", f"VALGRIND_LAUNCHER={found}"
    started = [*environment, str(tools / _NAMES[tool]), f"--tool={tool}", *command]
    return sandbox.run(started, limits, replace(files, read=(*files.read, tools)))


def check_valgrind() -> None:
    """Raise the errors of :func:`run_under_valgrind` before any run."""
    _tools(find_tool("valgrind"))


@cache
def _tools(found: str) -> Path:
    """Folder like valgrind's own with tools that take no orders; made once on a machine."""
    theirs = _their_folder(found)
    if platform.machine() != "x86_64" or not all(
        (theirs / name).exists() for name in _NAMES.values()
    ):
        raise _refused(f"there are no tools for x86-64 in {theirs}")
    originals = {name: (theirs / name).read_bytes() for name in _NAMES.values()}
    own = Path(__file__).read_bytes()
    digest = hashlib.sha256(b"".join([str(theirs).encode(), own, *originals.values()]))
    folder = cache_folder() / f"valgrind-{digest.hexdigest()[:16]}"
    if not folder.exists():
        with ScratchFolder("maxcode-tools-", folder.parent) as private:
            made = private / "tools"
            made.mkdir(mode=0o755)
            for path in theirs.iterdir():
                if path.name not in originals:
                    (made / path.name).symlink_to(path.resolve())
            for name, content in originals.items():
                (made / name).write_bytes(_deafened(name, content))
                (made / name).chmod(0o755)
            try:
                made.rename(folder)
            except OSError:  # another process was quicker
                if not folder.exists():
                    raise
    return folder


def _their_folder(found: str) -> Path:
    return next((place for place in _places(found) if place.is_dir()), Path("/usr/lib/valgrind"))


def _places(found: str) -> Iterator[Path]:
    if given := os.environ.get("VALGRIND_LIB"):
        yield Path(given)
    for prefix in (Path(found).resolve().parent.parent, Path("/usr"), Path("/usr/local")):
        for place in _PLACES:
            yield prefix / place


def _deafened(name: str, content: bytes) -> bytes:
    """The tool with comparisons that cannot hold: a second byte is to be two at once."""
    changed = bytearray(content)
    for what, recognises in _RECOGNISES.items():
        places = [found.start("place") for found in recognises.finditer(content)]
        if len(places) != 1:
            raise _refused(f"{name} recognises {what} in a way that is not known here")
        changed[places[0]] = 1
    return bytes(changed)


def _refused(why: str) -> ToolError:
    return ToolError(
        f"this build of valgrind cannot be kept from taking orders of the programs it runs: {why}"
        f"; {_INSTEAD}"
    )
