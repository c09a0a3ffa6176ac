"""Python source that is changed by position, so that comments and formatting stay as they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from maxcode.errors import TaskError

_LINE_END = re.compile(r"\r\n?")  # what Python calls one, beside "\n"

Edit = tuple[int, int, str]
"""Where a change begins and ends, in bytes of the source, and the new text."""


@dataclass(frozen=True)
class PythonSource:
    """A parsed source. ``text`` has "\\n" as its only line end; ``where`` names it in errors."""

    text: str
    tree: ast.Module
    where: str

    @classmethod
    def parse(cls, text: str, where: str) -> PythonSource:
        """Raises :class:`~maxcode.errors.TaskError` with the line for what is not Python."""
        text = _LINE_END.sub("\n", text)
        try:
            return cls(text, ast.parse(text), where)
        except SyntaxError as error:
            line = f", line {error.lineno}" if error.lineno else ""
            raise TaskError(f"{where}{line}: not valid Python: {error.msg}") from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise TaskError(f"{where}: not valid Python: {error}") from error

    def error(self, message: str, node: ast.stmt | None = None) -> TaskError:
        """An error that names the source, and the line of ``node``."""
        line = f", line {node.lineno}" if node else ""
        return TaskError(f"{self.where}{line}: {message}")

    def place(self, node: ast.stmt | ast.expr) -> int:
        """Where a node begins, after its decorators, in bytes."""
        return self._starts[node.lineno - 1] + node.col_offset

    def span(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        """Where a node begins (its first decorator, if it has any) and ends, in bytes."""
        first = _first_line(node)
        start = self.place(node) if first == node.lineno else self._starts[first - 1]
        return start, self._starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)

    def segment(self, node: ast.stmt) -> str:
        """The text of a statement, with its decorators."""
        start, end = self.span(node)
        return self._data[start:end].decode()

    def edited(self, edits: Iterable[Edit]) -> str:
        """The text after changes that do not overlap."""
        data = self._data
        for start, end, new in sorted(edits, reverse=True):
            data = data[:start] + new.encode() + data[end:]
        return data.decode()

    def removal(self, node: ast.stmt) -> Edit:
        """Leave out a top-level statement with the comment and empty lines right above it.

        One that shares its line with others becomes ``pass``.
        """
        start, end = self.span(node)
        first, last = _first_line(node) - 1, (node.end_lineno or 1) - 1
        before = self._data[self._starts[first] : start]
        after = self._data[end : self._starts[last + 1]].strip()
        if before.strip() or (after and not after.startswith(b"#")):
            return start, end, "pass"
        lines = self._data.split(b"\n")
        others = [other.end_lineno or 1 for other in self.tree.body if other is not node]
        above = max((line for line in others if line <= first), default=0)
        while first > above and lines[first - 1].startswith(b"#") and first > 1:
            first -= 1
        while first > above and not lines[first - 1].strip():
            first -= 1
        return self._starts[first], self._starts[last + 1], ""

    @cached_property
    def _data(self) -> bytes:
        return self.text.encode()

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins, in bytes, and at last where the text ends."""
        data = self._data
        starts = [0, *(found.end() for found in re.finditer(b"\n", data))]
        return starts if starts[-1] == len(data) else [*starts, len(data)]


def _first_line(node: ast.stmt | ast.expr) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
