"""Rust: a program of one crate, built by rustc."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from maxcode.program import Program
from maxcode.sandbox.base import Completed, Sandbox
from maxcode.system import find_tool
from maxcode.tasks.languages import Language
from maxcode.toolchain.base import Compiling, Toolchain, says
from maxcode.toolchain.build_cache import BuildCache

_SCRIPT = """
export TMPDIR="$PWD" HOME="$PWD"
cd "$1" && shift && "$@" -o "$TMPDIR/made" >&2 && exec cat "$TMPDIR/made"
"""


class Rust(Toolchain):
    """rustc with the standard library alone.

    Raises :class:`~maxcode.errors.ToolError` if there is none.
    """

    def __init__(
        self, sandbox: Sandbox, folder: Path, cache: BuildCache | None, language: Language
    ) -> None:
        super().__init__(sandbox, folder, cache, language)
        self._installed = Path(says(find_tool("rustc"), "--print", "sysroot"))  # past rustup

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
