"""JavaScript, and TypeScript where node takes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from maxcode.errors import ToolError
from maxcode.evaluation import HotFunction, Profile
from maxcode.program import Program
from maxcode.sandbox.base import Completed
from maxcode.toolchain.base import Asked, Command, Interpreted, outside_system, says
from maxcode.toolchain.profiling import MAX_NAME, Line, Profiled, profile_of, relative

_PROFILED = '"$@" >/dev/null && exec cat ./*.cpuprofile'
_DEPTH = 60  # calls of a stack, the innermost
_IDLE = ("(root)", "(idle)", "(program)")
_STRIPS_TYPES = 22  # node's major release from which it leaves out types


class _CallFrame(BaseModel):
    functionName: str  # noqa: N815 - the profile's names
    url: str
    lineNumber: int  # noqa: N815 - from 0

    def named(self, folder: Path) -> tuple[str, str]:
        """Its file, "" outside of the program's folder, and the function's name."""
        path = relative(self.url.removeprefix("file://"), folder)
        name = self.functionName or (f"(line {self.lineNumber + 1})" if path else "(anonymous)")
        return path, name[:MAX_NAME]


class _Tick(BaseModel):
    line: int
    ticks: int


class _Node(BaseModel):
    id: int
    callFrame: _CallFrame  # noqa: N815
    children: list[int] = []
    positionTicks: list[_Tick] = []  # noqa: N815


class _Report(BaseModel):
    nodes: list[_Node]


class Node(Interpreted, Profiled):
    """node. Raises :class:`~maxcode.errors.ToolError` for TypeScript with an old release."""

    tool = "node"
    runtime = True
    _typed: tuple[str, ...] = ()

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._node = self._tool.resolve()
        if self._language.name == "typescript":
            if int(self.release.removeprefix("node v").partition(".")[0]) < _STRIPS_TYPES:
                raise ToolError(
                    f"{self.release} does not run TypeScript: install node {_STRIPS_TYPES} or "
                    "newer, or give the compiled JavaScript"
                )
            self._typed = ("--experimental-strip-types", "--no-warnings")

    @cached_property
    def release(self) -> str:
        """The runtime's name and version."""
        return f"node {says(str(self._node), '--version')}"

    def command(self, built: Path, flags: Sequence[str]) -> Command:
        """node with the flags, on the entry file."""
        words = (str(self._node), *self._typed, *flags, str(built))
        return Command(words, (built.parent, *outside_system(self._node)), runtime=True)

    def profiling(self, built: Path, flags: Sequence[str]) -> Command:
        """node with its own profiler."""
        plain = self.command(built, flags)
        profiled = (*plain.words[:-1], "--cpu-prof", "--cpu-prof-interval", "500")
        words = ("/bin/sh", "-c", _PROFILED, "sh", *profiled, str(built))
        return replace(plain, words=words)

    def costs(self, output: bytes, folder: Path, program: Program) -> Profile:
        """See :meth:`~maxcode.toolchain.profiling.Profiled.costs`."""
        nodes = {one.id: one for one in _Report.model_validate_json(output).nodes}
        above = {child: one.id for one in nodes.values() for child in one.children}
        lines, recursive = Counter[Line](), set[tuple[str, bool]]()
        alone, inclusive = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
        for node in nodes.values():
            path, name = node.callFrame.named(folder)
            ticks = sum(max(tick.ticks, 0) for tick in node.positionTicks)
            if name in _IDLE or not ticks:
                continue
            for tick in node.positionTicks:
                lines[path, tick.line if path else 0, name] += max(tick.ticks, 0)
            stack, number = list[tuple[str, bool]](), node.id
            while number in nodes and len(stack) < _DEPTH:
                path, name = nodes[number].callFrame.named(folder)
                stack.append((name, path in program.files))
                number = above.get(number, -1)
            alone[stack[0]] += ticks
            for key, times in Counter(stack).items():
                inclusive[key] += ticks
                if times > 1:
                    recursive.add(key)
        total = max(lines.total(), 1)
        functions = [
            HotFunction(
                name, alone[name, own] / total, spent / total, 0, own, (name, own) in recursive
            )
            for (name, own), spent in inclusive.items()
        ]
        return profile_of(program, lines, functions)

    def _made(self, asked: Asked) -> Completed:
        entry = str(asked.source / asked.program.entry)
        read = (asked.source, *outside_system(self._node))
        return self._execute([str(self._node), *self._typed, "--check", entry], read, asked.how)
