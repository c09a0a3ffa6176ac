"""Java: classes of a program in an archive, run by java."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath

from maxcode.program import Program
from maxcode.sandbox.base import Completed, Sandbox
from maxcode.system import find_tool
from maxcode.tasks.languages import Language
from maxcode.toolchain.base import Command, Compiling, Toolchain, outside_system, says
from maxcode.toolchain.build_cache import BuildCache

_SCRIPT = """
export TMPDIR="$PWD" HOME="$PWD"
home="$1" main="$2"; cd "$3" && shift 3
"$home/bin/javac" -proc:none -encoding UTF-8 -d "$TMPDIR/classes" "$@" >&2 &&
"$home/bin/jar" --create --file "$TMPDIR/made" --main-class "$main" -C "$TMPDIR/classes" . >&2 &&
exec cat "$TMPDIR/made"
"""
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


class Java(Toolchain):
    """javac and java; the entry file's class of the same name has ``main``.

    Raises :class:`~maxcode.errors.ToolError` if there is no javac.
    """

    runtime = True

    def __init__(
        self, sandbox: Sandbox, folder: Path, cache: BuildCache | None, language: Language
    ) -> None:
        super().__init__(sandbox, folder, cache, language)
        self._home = Path(find_tool("javac")).resolve().parents[1]
        settings = (path.resolve().parent for path in self._home.rglob("*") if path.is_symlink())
        self._read = outside_system(self._home, *settings)  # Debian keeps some in /etc

    @cached_property
    def release(self) -> str:
        """The compiler's name and version."""
        return says(str(self._home / "bin/javac"), "-version")

    def command(self, built: Path, flags: Sequence[str]) -> Command:
        """java with the flags, on the archive."""
        words = (str(self._home / "bin/java"), *flags, "-jar", str(built))
        return Command(words, (built, *self._read), runtime=True)

    def _made(
        self, program: Program, flags: Sequence[str], source: Path, how: Compiling
    ) -> Completed:
        del flags  # which are java's
        package = _PACKAGE.search(program.code)
        name = PurePosixPath(program.entry).stem
        main = f"{package[1]}.{name}" if package else name
        words = ["sh", str(self._home), main, str(source), *self._sources(program)]
        read = (source, *self._read)
        return self._execute(["/bin/sh", "-c", _SCRIPT, *words], read, how)
