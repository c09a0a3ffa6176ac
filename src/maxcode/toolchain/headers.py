"""Headers: leading includes of programs, precompiled for all with the same beginning.

A program begins with a *block*: includes of system headers and nothing else. A header of these
lines is compiled ahead and put before the program with ``-include``; the program's own block then
finds all of it included already. Everything else stays as it was, line numbers too.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from maxcode.program import Program
from maxcode.toolchain.base import Compiling
from maxcode.toolchain.compiler import Compiler

SOURCES = (".cpp", ".cc", ".cxx")

Block = tuple[str, ...]

_SECONDS = 60.0  # that a header may always take: it is not the program's fault
_MAX_KEPT = 6  # for each compiler: they are 20 to 100 MB each
_WORTH = 3  # uses: by then its absence has cost about what it costs to compile
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*<(\w[\w.+-]*(/\w[\w.+-]*)*)>[ \t\r]*", re.ASCII)
_COMMENT = re.compile(r"[ \t]*(//[^\\?]*)?\r?")
# Flags that change neither where headers are looked for nor what comes before the program.
_PLAIN = re.compile(
    r"-(O\w*|std=[\w+]+|g\w*|[mf][\w=.,+-]+|W(?!p,)[\w=,.+-]*|[DU]\w.*|l.+|pthread|pipe|static|s|w"
    r"|ansi|pedantic|pedantic-errors)",
    re.DOTALL | re.ASCII,
)
_FOR_LINKER = re.compile(r"-l.*|-Wl,.*|-static|-s")


def leading_block(text: str) -> Block:
    """The includes of system headers before anything else but comments of a line."""
    block: list[str] = []
    for line in text.split("\n"):
        if found := _INCLUDE.fullmatch(line):
            block.append(f"#include <{found[1]}>")
        elif not _COMMENT.fullmatch(line):
            break
    return tuple(block)


class Headers:
    """Compiles headers, on their third use, and keeps them in ``folder``; safe for threads."""

    def __init__(self, compiler: Compiler, folder: Path) -> None:
        self._compiler = compiler
        self._folder = folder
        self._uses = Counter[str]()
        self._made: dict[str, Path | None] = {}  # None: it cannot be
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)

    def find(self, program: Program, flags: Sequence[str], how: Compiling) -> Path | None:
        """The header to put before a program, if any; may compile it first."""
        sources = [text for path, text in program.files.items() if path.endswith(SOURCES)]
        if len(sources) != 1 or not all(map(_PLAIN.fullmatch, flags)):
            return None
        block = leading_block(sources[0])
        flags = [flag for flag in flags if not _FOR_LINKER.fullmatch(flag)]
        key = hashlib.sha256("\0".join((*block, "", *flags)).encode()).hexdigest()[:24]
        with self._locks[key]:
            self._uses[key] += 1
            worth = self._uses[key] >= _WORTH and len(self._made) < _MAX_KEPT
            if block and worth and key not in self._made:
                self._made[key] = self._compiled(block, flags, self._folder / key, how)
            return self._made.get(key)

    def _compiled(
        self, block: Block, flags: Sequence[str], folder: Path, how: Compiling
    ) -> Path | None:
        folder.mkdir(parents=True)
        folder.chmod(0o755)
        header = folder / "block.h"
        header.write_text("".join(f"{line}\n" for line in block))
        header.chmod(0o644)  # g++ may run as another user
        completed = self._compiler.run(
            ["-x", "c++-header", "./block.h", *flags],
            folder,
            timeout=max(how.timeout, _SECONDS),
            processors=how.processors,
        )
        if not completed.ok or completed.flooded:
            return None
        made = Path(f"{header}.gch")
        made.write_bytes(completed.stdout)
        made.chmod(0o644)
        return header
