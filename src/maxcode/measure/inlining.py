"""Where in the source an instruction comes from, through all functions inlined into one another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from maxcode.sandbox.base import Files, Limits, Sandbox
from maxcode.tools import find_tool

_LIMITS = Limits(seconds=20.0, memory=2 << 30, output=64 << 20)
_ADDRESS = re.compile(r"0x([0-9a-f]{1,16})$")
_PLACE = re.compile(r"(.*):(\d{1,9}|\?)( \(discriminator \d+\))?$")


@dataclass(frozen=True, slots=True)
class Frame:
    """A function and the place in it; "??" and 0 where that is not known."""

    function: str
    file: str
    line: int


def frames(
    sandbox: Sandbox, executable: Path, addresses: Iterable[int]
) -> Mapping[int, tuple[Frame, ...]]:
    """The frames of each address, the innermost first; addresses of which nothing is known lack.

    All frames of an address but the last were inlined. Asks addr2line of the GNU binutils, which
    come with g++, in the sandbox: the debugging information is a stranger's. Raises
    :class:`~maxcode.errors.ToolError` when it is missing.
    """
    found = find_tool("addr2line")
    with TemporaryDirectory(prefix="maxcode-") as folder:
        Path(folder).chmod(0o755)  # a sandbox may read as another user
        asked = Path(folder) / "addresses"
        asked.write_text("".join(f"{address:#x}\n" for address in addresses))
        asked.chmod(0o444)
        command = [found, "--exe", str(executable), "--addresses", "--functions", "--inlines"]
        completed = sandbox.run(
            [*command, "--demangle"], _LIMITS, Files(stdin=asked, read=(executable,))
        )
    said = completed.stdout.decode("utf-8", "replace") if completed.ok else ""
    return _parsed(said)


def _parsed(said: str) -> dict[int, tuple[Frame, ...]]:
    """An address, then two lines a frame: the function's name, and file:line."""
    found: dict[int, tuple[Frame, ...]] = {}
    address, name = -1, ""
    for line in said.splitlines():
        if start := _ADDRESS.match(line):
            address, name = int(start[1], 16), ""
        elif not name:
            name = line
        else:
            if (place := _PLACE.match(line)) and place[1] != "??":
                number = int(place[2]) if place[2].isdigit() else 0
                found[address] = (*found.get(address, ()), Frame(name, place[1], number))
            name = ""
    return found
