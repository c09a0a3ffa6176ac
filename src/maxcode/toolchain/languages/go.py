"""Go: a program of one package, built by the go command without a network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from maxcode.sandbox.base import Completed
from maxcode.toolchain.base import Asked, Command, Toolchain, outside_system, says

_SCRIPT = """
export TMPDIR="$PWD" HOME="$PWD" GOCACHE="$PWD/cache" GOPATH="$PWD/path" GO111MODULE=off
export GOTOOLCHAIN=local GOTELEMETRY=off
go="$1"; cd "$2" && shift 2 && "$go" build -o "$TMPDIR/made" "$@" >&2 && exec cat "$TMPDIR/made"
"""


class Go(Toolchain):
    """The go command with the standard library alone."""

    tool = "go"

    @cached_property
    def _root(self) -> Path:
        return Path(says(str(self._tool), "env", "GOROOT"))

    @cached_property
    def release(self) -> str:
        """The compiler's name and version."""
        return says(str(self._root / "bin/go"), "version")

    def command(self, built: Path, flags: Sequence[str]) -> Command:
        """The executable, whose runtime reserves address space."""
        del flags
        return Command((str(built),), program=built, runtime=True)

    def _made(self, asked: Asked) -> Completed:
        go, sources = str(self._root / "bin/go"), self._sources(asked.program)
        words = ["sh", go, str(asked.source), *asked.flags, *sources]
        read = (asked.source, *outside_system(self._root))
        return self._execute(["/bin/sh", "-c", _SCRIPT, *words], read, asked.how)
