"""Any other language: a task's own commands build and run its programs."""

from __future__ import annotations

import io
import shlex
from collections.abc import Sequence
from pathlib import Path

from maxcode.errors import TaskError
from maxcode.sandbox.base import Completed
from maxcode.toolchain.archive import unpack
from maxcode.toolchain.base import Asked, Command, Toolchain
from maxcode.toolchain.compiler import OUTPUT

_SCRIPT = """
export TMPDIR="$PWD" HOME="$PWD"
mkdir "$TMPDIR/made" && cp -r "$1/." "$TMPDIR/made" && cd "$TMPDIR/made" && chmod -R u+w . &&
{ eval "$2"; } >&2 && exec tar --create --file - .
"""


class Commands(Toolchain):
    """A shell's commands in the folder of the program: flags are that to build, and that to run."""

    release = "the task's commands"
    runtime = True
    cached = False  # nothing tells that a tool of these commands was upgraded

    def command(self, built: Path, flags: Sequence[str]) -> Command:
        """The run command in the folder of the build."""
        folder = built.parent
        script = f"cd {shlex.quote(str(folder))} && {flags[1]}"
        return Command(("/bin/sh", "-c", script), (folder,), runtime=True)

    def _made(self, asked: Asked) -> Completed:
        if len(asked.flags) != 2:
            raise TaskError("a language without toolchain needs a command to build and one to run")
        words = ["sh", str(asked.source), asked.flags[0] or "true"]
        return self._execute(["/bin/sh", "-c", _SCRIPT, *words], (asked.source,), asked.how)

    def _keep(self, content: bytes, asked: Asked) -> Path:
        made = asked.folder / "program"
        made.mkdir()
        unpack(io.BytesIO(content), made, OUTPUT)
        made.chmod(0o755)
        return made / asked.program.entry
