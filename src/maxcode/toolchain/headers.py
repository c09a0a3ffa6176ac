"""Headers: leading includes of sources, precompiled for all with the same beginning.

A source begins with a *block*: includes of system headers and nothing else. A header of these lines
is compiled ahead and put before the source with ``-include``; the source's own block then finds all
of it included already. Everything else stays as it was, line numbers too.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock

from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler, Compiling, put

Block = tuple[str, ...]

_SECONDS = 300.0  # that a header may always take: it is not the source's fault
_OUTPUT = 1 << 30  # bytes of a compiled header
_MAX_KEPT = 6  # for each compiler: they are 20 to 500 MB each
_WORTH = 3  # uses: by then its absence has cost about what it costs to compile
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*<(\w[\w.+-]*(/\w[\w.+-]*)*)>[ \t\r]*", re.ASCII)
_COMMENT = re.compile(r"[ \t]*(//[^\\?]*)?\r?")
# Flags that change neither where headers are looked for nor what comes before the source.
_PLAIN = re.compile(
    r"-(O\w*|std=[\w+]+|g\w*|[mf](?!plugin)[\w=.,+-]+|W(?!p,)[\w=,.+-]*|[DU]\w.*|l.+|pthread|pipe"
    r"|static|s|w|ansi|pedantic|pedantic-errors)",
    re.DOTALL | re.ASCII,
)
_NO_PART = re.compile(r"-(l.*|W.*|static|s|w|pipe|pedantic.*)")  # in what is compiled
# Compressed on the way out: a tenth of the memory, and of the room that it takes in the cache.
_SCRIPT = """
export TMPDIR="$PWD" && cd "$1" && shift && "$@" -o "$TMPDIR/made" >&2 &&
exec gzip -1 -c "$TMPDIR/made"
"""


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
    """Compiles headers, on their third use, and keeps them in ``folder``; safe for threads.

    ``flags`` come before those of a source, and ``read`` are further folders that it may read.
    ``cache``, if any, keeps headers between runs; ``about`` is then a digest of these folders.
    """

    def __init__(
        self,
        compiler: Compiler,
        folder: Path,
        flags: Iterable[str] = (),
        read: Sequence[Path] = (),
        cache: BuildCache | None = None,
        about: str = "",
    ) -> None:
        self._compiler = compiler
        self._folder = folder
        self._flags = tuple(flags)
        self._read = read
        self._cache = cache
        self._about = about
        self._uses = Counter[str]()
        self._made: dict[str, Path | None] = {}  # None: it cannot be
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)

    def find(self, source: str, flags: Sequence[str], how: Compiling) -> Path | None:
        """The header to put before a source, if any; may compile it first."""
        block = leading_block(source)
        if not block or not all(map(_PLAIN.fullmatch, flags)):
            return None
        flags = [*self._flags, *(flag for flag in flags if not _NO_PART.fullmatch(flag))]
        about = (self._about, self._compiler.identity(flags), *block, "", *flags)
        key = hashlib.sha256("\0".join(about).encode()).hexdigest()[:24]
        with self._locks[key]:
            self._uses[key] += 1
            if key not in self._made and len(self._made) < _MAX_KEPT:
                name, worth = f"{key}.gch.gz", self._uses[key] >= _WORTH
                packed = self._cache.fetch(name) if self._cache else None
                if packed or worth:
                    self._made[key] = self._header(block, flags, name, packed, how)
            return self._made.get(key)

    def _header(
        self, block: Block, flags: Sequence[str], name: str, packed: bytes | None, how: Compiling
    ) -> Path | None:
        """A header with its compiled form, which may be in the cache; None if it cannot be."""
        folder = self._folder / name.partition(".")[0]
        header = put(folder / "block.h", "".join(f"{line}\n" for line in block).encode())
        if packed is None:
            packed = self._compiled(folder, flags, how)
            if packed is None:
                return None
            if self._cache:
                self._cache.keep(name, packed)
        put(Path(f"{header}.gch"), gzip.decompress(packed))
        return header

    def _compiled(self, folder: Path, flags: Sequence[str], how: Compiling) -> bytes | None:
        gxx = [str(self._compiler.path), "-x", "c++-header", "./block.h", *flags]
        how = replace(how, timeout=max(how.timeout, _SECONDS))
        command = ["/bin/sh", "-c", _SCRIPT, "sh", str(folder), *gxx]
        done = self._compiler.execute(command, (folder, *self._read), how, _OUTPUT)
        return done.stdout if done.ok and not done.flooded else None
