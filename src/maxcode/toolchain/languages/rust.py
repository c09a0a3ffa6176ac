"""Rust: a program of one crate, built by rustc."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from maxcode.sandbox.base import Completed
from maxcode.toolchain.base import Asked, Toolchain, says

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

    def _made(self, asked: Asked) -> Completed:
        rustc = [str(self._installed / "bin/rustc"), *asked.flags, asked.program.entry]
        command = ["/bin/sh", "-c", _SCRIPT, "sh", str(asked.source), *rustc]
        return self._execute(command, (asked.source, self._installed), asked.how)
