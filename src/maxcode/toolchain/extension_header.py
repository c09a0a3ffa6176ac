"""ExtensionHeader: ``torch/extension.h``, precompiled."""

from __future__ import annotations

import gzip
import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock

from maxcode.toolchain.base import Compiling
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_sources import of_headers

_SECONDS = 300.0  # that it may always take: it is not the candidate's fault
_OUTPUT = 1 << 30  # bytes of a compiled header
_MAX_KEPT = 4  # for each builder
_WORTH = 2  # uses that repay to compile it
_MAIN = "torch/extension.h"
_TEXTS = {_MAIN: f"#include_next <{_MAIN}>\n", "torch/torch.h": f"#include <{_MAIN}>\n"}
# Compressed on the way out: a tenth of the memory, and of the room that it takes in the cache.
_SCRIPT = """
export TMPDIR="$PWD" && cd "$1" && shift && "$@" -o "$TMPDIR/made" >&2 &&
exec gzip -1 -c "$TMPDIR/made"
"""


class ExtensionHeader:
    """Compiles the header for sets of flags, and keeps it in ``folder`` and in ``cache``.

    It is compiled at the second use, also of several processes, and never if ``cache`` holds it.
    Safe to use from several threads.
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
        self._lock = Lock()

    def find(self, flags: Sequence[str], how: Compiling) -> Path | None:
        """The folder to search first; None without a compiled header. May compile it."""
        flags = of_headers(flags)
        about = (self._facts.identity(), self._compiler.identity(flags), *flags)
        key = hashlib.sha256("\0".join(about).encode()).hexdigest()[:24]
        folder = self._folder / key
        with self._lock:  # whoever needs another header waits, too: there are few
            readable(folder)
            self._uses[key] += 1 + self._used_before(key, folder)
            if key not in self._made and sum(self._made.values()) < _MAX_KEPT:
                if self._recall(key, folder):
                    self._made[key] = True
                elif self._uses[key] >= _WORTH:  # what failed is not tried again
                    self._made[key] = self._make(key, folder, flags, how)
            return folder if self._made.get(key) else None

    def _used_before(self, key: str, folder: Path) -> bool:
        """Whether an earlier process used it, by the cache, which also notes that this one does."""
        if self._cache is None or self._uses[key]:
            return False
        before = self._cache.fetch(f"{key}.used", folder / "used")
        self._cache.keep(f"{key}.used", b"")
        return before

    def _recall(self, key: str, folder: Path) -> bool:
        packed = folder / "packed"
        if self._cache is None or not self._cache.fetch(f"{key}.gch.gz", packed):
            return False
        _unpack(packed, folder)
        return True

    def _make(self, key: str, folder: Path, flags: Sequence[str], how: Compiling) -> bool:
        _write(folder)
        command = [
            *("/bin/sh", "-c", _SCRIPT, "sh", str(folder), str(self._compiler.path)),
            *("-x", "c++-header", f"./{_MAIN}", f"-I{folder}"),
            *compiling_flags(self._facts),
            *flags,
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
            self._cache.keep(f"{key}.gch.gz", completed.stdout)
        _unpack(packed, folder)
        return True


def compiling_flags(facts: TorchFacts) -> Iterator[str]:
    """Torch's own flags to g++ for every extension, except its name."""
    yield "-DTORCH_API_INCLUDE_EXTENSION_H"
    yield from facts.flags
    for path in facts.includes:
        yield from ("-isystem", str(path))
    yield from ("-fPIC", f"-std={facts.standard}")


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


def _write(folder: Path) -> None:
    for name, text in _TEXTS.items():
        put(folder / name, text.encode())


def _unpack(packed: Path, folder: Path) -> None:
    _write(folder)
    compiled, new = folder / f"{_MAIN}.gch", folder / "new"
    with gzip.open(packed) as source, new.open("wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
    packed.unlink()
    new.chmod(0o644)
    new.replace(compiled)
