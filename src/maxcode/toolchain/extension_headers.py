"""ExtensionHeaders: torch's headers for extensions, precompiled.

There are three. *code* has the headers of kernels: tensors and all operators. *bindings* has the
headers to bind functions to Python. *whole* is all of ``torch/extension.h``. Each replaces
``torch/extension.h``, ``torch/torch.h`` and ``torch/all.h``, from a folder searched before torch's;
any other header is torch's own, so further includes still work.
"""

from __future__ import annotations

import gzip
import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Literal

from maxcode.toolchain.base import Compiling
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_sources import of_headers

Kind = Literal["code", "bindings", "whole"]

_SECONDS = 300.0  # that a header may always take: it is not the candidate's fault
_OUTPUT = 1 << 30  # bytes of a compiled header: 0.2 GB for bindings, 0.8 GB for the whole one
_NAMES = 16 << 20  # bytes of all words in the whole header: it has 1 MB of them
_MAX_KEPT = 4  # of a kind and for each builder
_WORTH = {"code": 2, "bindings": 2, "whole": 3}  # uses that repay 10 to 45 seconds
_FOR_ONE_USE = 2  # earlier processes: what one command needs may not be needed by another
_MAIN = "torch/extension.h"
_PARTS: dict[Kind, tuple[str, ...]] = {
    "code": ("torch/types.h", "torch/utils.h"),
    "bindings": ("torch/csrc/Exceptions.h", "torch/csrc/utils/pybind.h"),
}
_STAND_INS = dict.fromkeys(("torch/torch.h", "torch/all.h"), f"#include <{_MAIN}>\n")
_LEFT_OUT = ("torch/library.h", "ATen/NativeFunctions.h")  # heavy, and included by the above
# Compressed on the way out: a tenth of the memory, and of the room that it takes in the cache.
_SCRIPT = """
export TMPDIR="$PWD" && cd "$1" && shift && "$@" -o "$TMPDIR/made" >&2 &&
exec gzip -1 -c "$TMPDIR/made"
"""
_WORDS = """
cd / && printf '#include <torch/extension.h>\\n' | "$@" - |
tr -cs 'A-Za-z0-9_' '\\n' | LC_ALL=C sort -u
"""


@dataclass(frozen=True, slots=True)
class _Header:
    """A header to be compiled: its kind, g++'s flags for it, and its key."""

    kind: Kind
    flags: tuple[str, ...]
    key: str


class ExtensionHeaders:
    """Compiles the headers and keeps them in ``folder``. Safe to use from several threads.

    A header is compiled for a set of flags once its uses repay it, at the latest in the third
    process that uses it, and never if ``cache`` holds it.
    """

    def __init__(
        self, compiler: Compiler, folder: Path, cache: BuildCache | None, facts: TorchFacts
    ) -> None:
        self._compiler = compiler
        self._folder = folder
        self._cache = cache
        self._facts = facts
        self._uses = Counter[str]()
        self._made: dict[str, bool] = {}
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()
        self._left_out: frozenset[str] | None = None
        self._reading = Lock()

    def find(self, kind: Kind, flags: Sequence[str], how: Compiling) -> Path | None:
        """The folder to search first; may compile the header.

        All but the whole header also work as text; for the whole header None until it is compiled.
        """
        header = self._header(kind, flags)
        folder = self._folder / header.key
        with self._lock:
            lock = self._locks.setdefault(header.key, Lock())
        with lock:
            first = not folder.exists()
            if first:
                _write(folder / "first", kind)
            if header.key not in self._made and self._has_room(kind):
                made = self._recall(header, folder)
                earlier = self._earlier_processes(header, folder) if first and not made else 0
                wanted = self._count(header, 1 + earlier // _FOR_ONE_USE) >= _WORTH[kind]
                made = made or (wanted and self._make(header, folder, how))
                if made or wanted:  # what failed is not tried again
                    with self._lock:
                        self._made[header.key] = made
        return folder / "first" if kind != "whole" or self._made.get(header.key) else None

    def left_out(self, how: Compiling) -> frozenset[str] | None:
        """Words of the whole header missing from that of code; None if they are unknown."""
        with self._reading:
            if self._left_out is None:
                self._left_out = self._read_left_out(how)
            return self._left_out or None

    def _count(self, header: _Header, uses: int) -> int:
        """Add to the number of uses, and return it."""
        with self._lock:
            self._uses[header.key] += uses
            return self._uses[header.key]

    def _has_room(self, kind: Kind) -> bool:
        with self._lock:
            made = [key for key, there in self._made.items() if there and key.startswith(kind)]
        return len(made) < _MAX_KEPT

    def _header(self, kind: Kind, flags: Sequence[str]) -> _Header:
        chosen = of_headers(flags)
        parts = (self._facts.identity(), _text(kind), *_LEFT_OUT, *chosen)
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
        return _Header(kind, chosen, f"{kind}-{digest}")

    def _name(self, header: _Header) -> str:
        return f"{self._compiler.identity(header.flags)[:24]}-{header.key}.gch.gz"

    def _earlier_processes(self, header: _Header, folder: Path) -> int:
        """Number of earlier processes that used it without having it; counts this process, too.

        Otherwise a command that starts a process for each candidate would never have a header.
        """
        name, noted = f"{self._name(header)}.used", folder / "used"
        if self._cache is None:
            return 0
        earlier = int(noted.read_text()) if self._cache.fetch(name, noted) else 0
        self._cache.keep(name, str(earlier + 1).encode())
        return earlier

    def _recall(self, header: _Header, folder: Path) -> bool:
        packed = folder / "packed"
        if self._cache is None or not self._cache.fetch(self._name(header), packed):
            return False
        _unpack(packed, folder)
        return True

    def _make(self, header: _Header, folder: Path, how: Compiling) -> bool:
        command = [
            *("/bin/sh", "-c", _SCRIPT, "sh", str(folder / "first"), str(self._compiler.path)),
            *("-x", "c++-header", f"./{_MAIN}", *_searched(folder, header.kind)),
            *compiling_flags(self._facts),
            *header.flags,
        ]
        completed = self._compiler.execute(
            command,
            (folder, *self._facts.includes),
            timeout=max(how.timeout, _SECONDS),
            processors=how.processors,
            output=_OUTPUT,
        )
        if not completed.ok or completed.flooded:
            return False
        packed = folder / "packed"
        packed.write_bytes(completed.stdout)
        if self._cache:
            self._cache.keep(self._name(header), completed.stdout)
        _unpack(packed, folder)
        return True

    def _read_left_out(self, how: Compiling) -> frozenset[str]:
        name = f"{self._compiler.identity(())[:24]}-{self._facts.identity()[:24]}.left_out"
        folder = self._folder / "code"
        _write(folder / "first", "code")
        kept = folder / "words"
        if self._cache and self._cache.fetch(name, kept):
            return frozenset(kept.read_text("ascii").split())
        whole = self._words([], how)
        found = whole - self._words(_searched(folder, "code"), how)
        if whole and self._cache:
            self._cache.keep(name, "\n".join(sorted(found)).encode())
        return found

    def _words(self, searched: Sequence[str], how: Compiling) -> frozenset[str]:
        """All words of a header found in these folders first; none if it cannot be read."""
        compiler = (str(self._compiler.path), "-E", "-P", "-dD", "-x", "c++", *searched)
        completed = self._compiler.execute(
            ["/bin/sh", "-c", _WORDS, "sh", *compiler, *compiling_flags(self._facts)],
            (self._folder, *self._facts.includes),
            timeout=how.timeout,
            processors=how.processors,
            output=_NAMES,
        )
        if not completed.ok or completed.flooded:
            return frozenset()
        return frozenset(completed.stdout.decode("ascii", "replace").split())


def _searched(folder: Path, kind: Kind) -> list[str]:
    """Options to find a header first, and what it leaves out empty."""
    if kind == "whole":
        return [f"-I{folder / 'first'}"]
    for name in _LEFT_OUT:
        put(folder / "left_out" / name, b"")
    return [f"-I{folder / 'first'}", f"-I{folder / 'left_out'}"]


def compiling_flags(facts: TorchFacts) -> Iterator[str]:
    """Torch's own flags to g++ for every extension, except its name."""
    yield "-DTORCH_API_INCLUDE_EXTENSION_H"
    yield from facts.flags
    for path in facts.includes:
        yield from ("-isystem", str(path))
    yield from ("-fPIC", f"-std={facts.standard}")


def _text(kind: Kind) -> str:
    if kind == "whole":
        return f"#include_next <{_MAIN}>\n"
    guard = f"MAXCODE_{kind.upper()}_EXTENSION_H"
    included = "".join(f"#include <{part}>\n" for part in _PARTS[kind])
    return f"#ifndef {guard}\n#define {guard}\n{included}#endif\n"


def _write(folder: Path, kind: Kind) -> None:
    put(folder / _MAIN, _text(kind).encode())
    for name, text in _STAND_INS.items():
        put(folder / name, text.encode())


def put(path: Path, content: bytes) -> Path:
    """Write a file readable by a compiler under another user, too; returns its path."""
    readable(path.parent)
    path.write_bytes(content)
    path.chmod(0o644)
    return path


def readable(folder: Path) -> None:
    """Make a folder, and all missing parents, readable by others."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for one in missing:
        one.chmod(0o755)


def _unpack(packed: Path, folder: Path) -> None:
    compiled, new = folder / "first" / f"{_MAIN}.gch", folder / "new"
    with gzip.open(packed) as source, new.open("wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
    packed.unlink()
    new.chmod(0o644)
    new.replace(compiled)
