"""JavaScript, and TypeScript where node takes it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from maxcode.errors import ToolError
from maxcode.program import Program
from maxcode.sandbox.base import Completed, Sandbox
from maxcode.system import find_tool
from maxcode.tasks.languages import Language
from maxcode.toolchain.base import Command, Compiling, Interpreted, outside_system, says
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import execute

_STRIPS_TYPES = 22  # node's major release from which it leaves out types


class Node(Interpreted):
    """node.

    Raises :class:`~maxcode.errors.ToolError` if there is none, or for TypeScript an old release.
    """

    def __init__(
        self, sandbox: Sandbox, folder: Path, cache: BuildCache | None, language: Language
    ) -> None:
        super().__init__(sandbox, folder, cache)
        self.node = Path(find_tool("node")).resolve()
        self._typed: tuple[str, ...] = ()
        if language.name == "typescript":
            if int(self.release.removeprefix("node v").partition(".")[0]) < _STRIPS_TYPES:
                raise ToolError(
                    f"{self.release} does not run TypeScript: install node {_STRIPS_TYPES} or "
                    "newer, or give the compiled JavaScript"
                )
            self._typed = ("--experimental-strip-types", "--no-warnings")

    @cached_property
    def release(self) -> str:
        """The runtime's name and version."""
        return f"node {says(str(self.node), '--version')}"

    def command(self, built: Path, flags: Sequence[str]) -> Command:
        """node with the flags, on the entry file."""
        words = (str(self.node), *self._typed, *flags, str(built))
        return Command(words, (built.parent, *outside_system(self.node)), runtime=True)

    def _made(
        self, program: Program, flags: Sequence[str], source: Path, how: Compiling
    ) -> Completed:
        del flags
        return execute(
            self._sandbox,
            [str(self.node), *self._typed, "--check", str(source / program.entry)],
            (source, *outside_system(self.node)),
            timeout=how.timeout,
            processors=how.processors,
            runtime=True,
        )
