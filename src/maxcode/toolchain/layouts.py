"""Layouts: executables of a program that differ only in the linker's placement.

The same code may be several per cent faster or slower for where it lies, run after run (Mytkowicz,
Diwan, Hauswirth and Sweeney, "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS
2009; Curtsinger and Berger, "Stabilizer", ASPLOS 2013). Each executable is a random draw.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

from maxcode.errors import ToolError
from maxcode.sandbox.base import Completed
from maxcode.toolchain.compiler import Compiler, Compiling, put, readable, runnable

_PADS = 4  # between functions
_PAD = 4096  # bytes of a gap, at the most
_NAME = 160  # characters that the name of an executable may be longer; it lies on the stack

_OF_LINKING = re.compile(r"-l.+|-L.+|-Wl,.+|-static.*|-s|-pie|-no-pie|-rdynamic|-fuse-ld=.+")
_LTO = re.compile(r"-flto(=.*)?")
_FUNCTION = re.compile(r"^\s*\d+\s+(\.text\.[\w.$]+)\s", re.MULTILINE)
_UNLIKELY = (".text.unlikely", ".text.exit", ".text.sorted")

# GNU ld lays .text.sorted.* out by name, ahead of most other code. Gold is told the order; it takes
# a quarter of the time, most of which goes on the symbols of the libraries.
_LINK = """
export TMPDIR="$PWD"
folder="$1" object="$2" gxx="$3"; shift 3
link() { "$gxx" "$folder/gaps.s" moved.o "$@" -o made >&2; }
objcopy "@$folder/names" "$object" moved.o >&2 || exit 1
gold=$(command -v ld.gold)
case " $* " in *" -fuse-ld="*) gold= ;; esac
[ "$gold" ] && link "$@" -fuse-ld=gold "-Wl,--section-ordering-file,$folder/order" || link "$@" &&
exec cat made
"""


def relocatable_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """Flags to make a single object of a program, with a section for each function."""
    kept = [flag for flag in flags if not _OF_LINKING.fullmatch(flag)]
    if any(_LTO.fullmatch(flag) for flag in kept):  # optimised as one here, not at each link
        kept.append("-flinker-output=nolto-rel")
    return (*kept, "-ffunction-sections", "-r", "-nostdlib")


class Layouts:
    """Draws layouts of a program at random.

    ``relocatable`` is its object, built with :func:`relocatable_flags`; ``flags`` are its own. An
    executable's functions are in random order with gaps of random size, as are the beginnings of
    its data; its file name has a random length, which moves the stack. They are written to a new
    ``folder``. Raises :class:`~maxcode.errors.ToolError` if linking fails.
    """

    def __init__(
        self,
        compiler: Compiler,
        relocatable: Path,
        flags: Sequence[str],
        folder: Path,
        rng: Random,
        how: Compiling,
    ) -> None:
        self._compiler = compiler
        self._relocatable = relocatable
        self._flags = [flag for flag in flags if not _LTO.fullmatch(flag)]
        self._folder = folder
        self._rng = rng
        self._how = how
        readable(folder)
        self._functions = self._listed()
        self._first = self._linked()
        self._drawn = 0

    def draw(self) -> Path:
        """A further executable. Raises :class:`~maxcode.errors.ToolError` if linking fails."""
        path = self._folder / f"{self._drawn}-{'x' * self._rng.randrange(_NAME)}"
        path.write_bytes(self._linked() if self._drawn else self._first)
        self._drawn += 1
        return runnable(path)

    def _listed(self) -> list[str]:
        """Sections of functions that may be placed anywhere."""
        command = ["/usr/bin/env", "objdump", "-h", str(self._relocatable)]
        completed = self._execute(command, [self._relocatable])
        names = dict.fromkeys(_FUNCTION.findall(completed.stdout.decode("latin-1")))
        return [name for name in names if not name.startswith(_UNLIKELY)]

    def _linked(self) -> bytes:
        with tempfile.TemporaryDirectory(prefix="layouts-", dir=self._folder) as name:
            folder = Path(name)
            folder.chmod(0o755)
            self._write(folder)
            arguments = (folder, self._relocatable, self._compiler.path, *self._flags)
            command = ["/bin/sh", "-c", _LINK, "sh", *map(str, arguments)]
            return self._execute(command, [folder, self._relocatable]).stdout

    def _write(self, folder: Path) -> None:
        """Write a layout: the sections' new names, their order, and gaps between them."""
        count = len(self._functions) + _PADS + 1
        places = [f".text.sorted.{place:06}" for place in self._rng.sample(range(10**6), count)]
        order = sorted(places)
        places.remove(order[0])
        gaps = [order[0], *places[:_PADS]]  # one of them ahead of all functions
        renamed = zip(self._functions, places[_PADS:], strict=True)
        skipped = [(f'.section {gap},"ax",@progbits', self._rng.randrange(_PAD)) for gap in gaps]
        skipped += [
            (section, 16 * self._rng.randrange(_PAD // 16))
            for section in (".data", ".bss", ".section .rodata")
        ]
        texts = {
            "names": "".join(f"--rename-section {old}={new}\n" for old, new in renamed),
            "order": "".join(f"{place}\n" for place in order),
            "gaps.s": "".join(f"{section}\n.skip {size}\n" for section, size in skipped)
            + '.section .note.GNU-stack,"",@progbits\n',
        }
        for name, text in texts.items():
            put(folder / name, text.encode())

    def _execute(self, command: Sequence[str], read: Sequence[Path]) -> Completed:
        completed = self._compiler.execute(command, read, self._how)
        if not completed.ok or completed.flooded:
            said = completed.stderr.decode("utf-8", "replace").strip().splitlines()
            raise ToolError(f"relinking {completed.cause}" + (f": {said[0]}" if said else ""))
        return completed
