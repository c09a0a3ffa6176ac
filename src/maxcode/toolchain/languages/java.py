"""Java: classes of a program in an archive, run by java."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath

from maxcode.sandbox.base import Completed
from maxcode.toolchain.base import Asked, Command, Toolchain, outside_system, says

_SCRIPT = """
export TMPDIR="$PWD" HOME="$PWD"
home="$1" main="$2"; cd "$3" && shift 3
"$home/bin/javac" -proc:none -encoding UTF-8 -d "$TMPDIR/classes" "$@" >&2 &&
"$home/bin/jar" --create --file "$TMPDIR/made" --main-class "$main" -C "$TMPDIR/classes" . >&2 &&
exec cat "$TMPDIR/made"
"""
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_CLASS = re.compile(r"^(public\s+)?(?:(?:abstract|final)\s+)*class\s+(\w+)", re.MULTILINE)


class Java(Toolchain):
    """javac and java; the entry file has the class with ``main``.

    A public class may have another name than the file, which javac alone does not accept.
    """

    tool = "javac"
    runtime = True

    @cached_property
    def _home(self) -> Path:
        return self._tool.resolve().parents[1]

    @cached_property
    def _read(self) -> tuple[Path, ...]:
        links = (path.resolve().parent for path in self._home.rglob("*") if path.is_symlink())
        return outside_system(self._home, *links)  # Debian keeps settings in /etc

    @cached_property
    def release(self) -> str:
        """The compiler's name and version."""
        return says(str(self._home / "bin/javac"), "-version")

    def command(self, built: Path, flags: Sequence[str]) -> Command:
        """java with the flags, on the archive."""
        words = (str(self._home / "bin/java"), *flags, "-jar", str(built))
        return Command(words, (built, *self._read), runtime=True)

    def _made(self, asked: Asked) -> Completed:
        program, source = asked.program, asked.source  # flags are java's
        package = _PACKAGE.search(program.code)
        name = main_class(program.code, PurePosixPath(program.entry).stem)
        main = f"{package[1]}.{name}" if package else name
        entry = source / program.entry
        entry.rename(entry.with_stem(name))
        names = [path for path in self._sources(program) if path != program.entry]
        own = PurePosixPath(program.entry).with_stem(name)
        words = ["sh", str(self._home), main, str(source), str(own), *names]
        read = (source, *self._read)
        return self._execute(["/bin/sh", "-c", _SCRIPT, *words], read, asked.how)


def main_class(code: str, stem: str) -> str:
    """The entry file's class with main: the public one, that of its name, or the last before it."""
    classes = list(_CLASS.finditer(code))
    if public := next((found[2] for found in classes if found[1]), ""):
        return public
    names = [found[2] for found in classes]
    before = [found[2] for found in classes if found.start() < code.find("static void main")]
    return stem if stem in names or not before else before[-1]
