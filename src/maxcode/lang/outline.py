"""Definitions: the functions of a source file, and their lines; also its loops.

C and C++ are read by tree-sitter, Python by its own ``ast``. Of other languages only the first
lines of functions are found, by their look.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from types import MappingProxyType

from maxcode.lang.syntax import cpp_root, declarator_name, first_line, python_tree, text_of, walk

_CPP = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"})
_CPP_LOOPS = frozenset({"for_statement", "for_range_loop", "while_statement", "do_statement"})
_WORD = r"(?P<name>\w+)"
_BEGINNINGS = MappingProxyType(
    {
        ".go": re.compile(rf"^func\s+(?:\([^)]*\)\s*)?{_WORD}", re.MULTILINE),
        ".rs": re.compile(
            rf"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:\w+\s+)*fn\s+{_WORD}", re.MULTILINE
        ),
        ".js": re.compile(
            rf"^[ \t]*(?:export\s+)?(?:async\s+)?function\*?\s+{_WORD}", re.MULTILINE
        ),
        ".java": re.compile(
            rf"^[ \t]+(?:public|private|protected|static)[\w<>\[\], ]*\s{_WORD}\s*\(", re.MULTILINE
        ),
    }
)
_LIKE = MappingProxyType({".ts": ".js", ".mjs": ".js", ".cjs": ".js", ".tsx": ".js", ".jsx": ".js"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A function: its name as the file writes it, and its first and last line, counted from 1."""

    name: str
    first: int
    last: int

    @property
    def short(self) -> str:
        """The name without the classes and namespaces it is in."""
        return re.split(r"::|\.", self.name)[-1]


@lru_cache(maxsize=512)
def definitions(path: str, text: str) -> tuple[Definition, ...]:
    """The functions of a file, in the order of their beginnings; none of an unreadable file."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _CPP:
        return tuple(_of_cpp(text))
    if suffix == ".py":
        try:
            return tuple(sorted(_of_python(python_tree(text)), key=lambda one: one.first))
        except ValueError:
            return ()
    beginning = _BEGINNINGS.get(_LIKE.get(suffix, suffix))
    return tuple(_by_beginnings(text, beginning)) if beginning else ()


def loops_around(path: str, text: str, line: int) -> tuple[int, ...]:
    """The lines of the loops around a line of C, C++ or Python, the outermost first.

    Itself included if it is a loop.
    """
    return tuple(first for first, last in _loops(path, text) if first <= line <= last)


@lru_cache(maxsize=64)
def _loops(path: str, text: str) -> tuple[tuple[int, int], ...]:
    """First and last lines of all loops."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _CPP:
        nodes = [node for node in walk(cpp_root(text)) if node.type in _CPP_LOOPS]
        return tuple((node.start_point[0] + 1, node.end_point[0] + 1) for node in nodes)
    try:
        every = ast.walk(python_tree(text)) if suffix == ".py" else ()
    except ValueError:
        return ()
    found = [one for one in every if isinstance(one, ast.For | ast.AsyncFor | ast.While)]
    return tuple(sorted((one.lineno, one.end_lineno or one.lineno) for one in found))


def _of_cpp(text: str) -> Iterator[Definition]:
    for node in walk(cpp_root(text)):
        if node.type != "function_definition":
            continue
        if (name := declarator_name(node)) is None:
            continue
        around = node.parent
        whole = around if around is not None and around.type == "template_declaration" else node
        yield Definition(text_of(name), whole.start_point[0] + 1, whole.end_point[0] + 1)


def _of_python(node: ast.AST, within: str = "") -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{within}.{child.name}" if within else child.name
            if not isinstance(child, ast.ClassDef):
                first = first_line(child)
                yield Definition(name, first, child.end_lineno or first)
            yield from _of_python(child, name)
        else:
            yield from _of_python(child, within)


def _by_beginnings(text: str, beginning: re.Pattern[str]) -> Iterator[Definition]:
    """Each function ends where the next begins."""
    found = [
        (one["name"], text.count("\n", 0, one.start("name")) + 1)
        for one in beginning.finditer(text)
    ]
    ends = [first - 1 for _, first in found[1:]] + [text.count("\n") + 1]
    for (name, first), last in zip(found, ends, strict=True):
        yield Definition(name, first, max(first, last))
