"""ExtensionHeaders: what extensions include, compiled ahead.

There are three. *code* has what kernels use: tensors and all operators. *bindings* has what binds
functions to Python. *whole* is ``torch/extension.h`` as it is. Each stands in for that, for
``torch/torch.h`` and for ``torch/all.h``, by lying in a folder that is searched before torch's; any
other header is torch's own, so a source that includes more gets it.
"""

from __future__ import annotations

import gzip
import hashlib
import shutil
from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Literal

from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import CompileLimits, Compiler, write_readable
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_sources import header_flags

Kind = Literal["code", "bindings", "whole"]

_SECONDS = 300.0  # that a header may always take: the candidate is not charged for it
_MAX_HEADER = 1 << 30  # bytes: 0.2 GB for bindings, 0.8 GB for the whole one
_MAX_WORDS = 16 << 20  # bytes of all words in the whole header: it has 1 MB of them
_MAX_KEPT = 4  # of a kind and for each builder
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
cd "$1" && shift && printf '#include <torch/extension.h>\\n' | "$@" - |
tr -cs 'A-Za-z0-9_' '\\n' | LC_ALL=C sort -u
"""


class ExtensionHeaders:
    """Compiles each header once for each set of flags, and keeps it in ``folder`` and ``cache``.

    Safe to use from several threads.
    """

    def __init__(
        self, compiler: Compiler, folder: Path, cache: BuildCache | None, facts: TorchFacts
    ) -> None:
        self._compiler = compiler
        self._folder = folder
        self._cache = cache
        self._facts = facts
        self._compiled: dict[str, bool] = {}  # what failed is not tried again
        self._locks: dict[str, Lock] = {}
        self._words: frozenset[str] | None = None
        self._reading = Lock()

    def find(self, kind: Kind, flags: Sequence[str], limits: CompileLimits) -> Path | None:
        """The folder to search first; may compile the header.

        For more than a few sets of flags no header is compiled. Those of code and bindings serve
        as text then; for the whole one there is no folder.
        """
        flags = header_flags(flags)
        parts = (self._facts.identity(), _text(kind), *_LEFT_OUT, *flags)
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        key = f"{kind}-{digest[:24]}"
        folder = self._folder / key
        with self._locks.setdefault(key, Lock()):
            if key not in self._compiled:
                self._compiled[key] = self._make(kind, flags, folder, limits)
        return folder / "first" if kind != "whole" or self._compiled[key] else None

    def words(self, limits: CompileLimits) -> Set[str] | None:
        """All words that occur in the whole header; None if it could not be read."""
        with self._reading:
            if self._words is None:
                self._words = self._read_words(limits)
            return self._words or None

    def _make(self, kind: Kind, flags: Sequence[str], folder: Path, limits: CompileLimits) -> bool:
        """Write the header's text, and its compiled form from the cache or the compiler."""
        first, left_out, packed = folder / "first", folder / "left_out", folder / "packed"
        texts = {first / _MAIN: _text(kind)}
        if kind != "whole":
            texts |= {first / name: text for name, text in _STAND_INS.items()}
            texts |= {left_out / name: "" for name in _LEFT_OUT}
        for path, text in texts.items():
            write_readable(path, text.encode(), folder)
        kept = [key for key, there in [*self._compiled.items()] if there and key.startswith(kind)]
        if len(kept) >= _MAX_KEPT:
            return False
        name = f"{self._compiler.identity(flags)[:24]}-{folder.name}.gch.gz"
        if not (self._cache and self._cache.fetch(name, packed)):
            command = [
                *("/bin/sh", "-c", _SCRIPT, "sh", str(first), str(self._compiler.path)),
                *("-x", "c++-header", f"./{_MAIN}", f"-I{first}", f"-I{left_out}"),
                *(*self._facts.compile_flags(), *flags),
            ]
            patient = replace(limits, timeout=max(limits.timeout, _SECONDS))
            read = (folder, *self._facts.includes)
            completed = self._compiler.execute(command, read, patient, output=_MAX_HEADER)
            if not completed.ok or completed.flooded:
                return False
            packed.write_bytes(completed.stdout)
            if self._cache:
                self._cache.keep(name, completed.stdout)
        _unpack(packed, first / f"{_MAIN}.gch")
        return True

    def _read_words(self, limits: CompileLimits) -> frozenset[str]:
        name = f"{self._compiler.identity(())[:24]}-{self._facts.identity()[:24]}.words"
        kept = self._folder / "words"
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._cache and self._cache.fetch(name, kept):
            return frozenset(kept.read_text("ascii").split())
        compiler = (str(self._compiler.path), "-E", "-P", "-dD", "-x", "c++")
        completed = self._compiler.execute(
            ["/bin/sh", "-c", _WORDS, "sh", "/", *compiler, *self._facts.compile_flags()],
            self._facts.includes,
            limits,
            output=_MAX_WORDS,
        )
        found = frozenset(completed.stdout.decode("ascii", "replace").split())
        if not completed.ok or completed.flooded or "wrap_pybind_function" not in found:
            return frozenset()
        if self._cache:
            self._cache.keep(name, completed.stdout)
        return found


def _text(kind: Kind) -> str:
    if kind == "whole":
        return f"#include_next <{_MAIN}>\n"
    guard = f"MAXCODE_{kind.upper()}_EXTENSION_H"
    included = "".join(f"#include <{part}>\n" for part in _PARTS[kind])
    return f"#ifndef {guard}\n#define {guard}\n{included}#endif\n"


def _unpack(packed: Path, target: Path) -> None:
    new = packed.with_name("new")
    with gzip.open(packed) as source, new.open("wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
    packed.unlink()
    new.chmod(0o644)
    new.replace(target)
