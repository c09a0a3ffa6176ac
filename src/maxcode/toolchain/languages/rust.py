"""Rust: a program of one crate, built by rustc."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from maxcode.program import Program
from maxcode.sandbox.base import Completed
from maxcode.toolchain.base import Toolchain, says
from maxcode.toolchain.compiler import Compiling

_SCRIPT = """
export TMPDIR="$PWD" HOME="$PWD"
cd "$1" && shift && "$@" -o "$TMPDIR/made" >&2 && exec cat "$TMPDIR/made"
"""


class Rust(Toolchain):
    """rustc with the standard library alone."""

    tool = "rustc"

    @cached_property
    def _installed(self) -> Path:
        return Path(says(str(self._tool), "--print", "sysroot"))  # past rustup

    @cached_property
    def release(self) -> str:
        """The compiler's name and version."""
        return says(str(self._installed / "bin/rustc"), "--version")

    def _made(
        self, program: Program, flags: Sequence[str], source: Path, how: Compiling
    ) -> Completed:
        rustc = [str(self._installed / "bin/rustc"), *flags, program.entry]
        command = ["/bin/sh", "-c", _SCRIPT, "sh", str(source), *rustc]
        return self._execute(command, (source, self._installed), how)
