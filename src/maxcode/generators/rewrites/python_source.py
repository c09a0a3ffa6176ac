"""A Python script for rewrites: its tree, its names, and its edits."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from maxcode.generators.rewrites.cpp.tree import Edit, apply_edits, fresh
from maxcode.lang.syntax import first_line, python_tree

_DEEPEST = 100  # levels of a tree that recursive functions are let loose on
_MODULES = (
    "__future__", "array", "bisect", "collections", "copy", "dataclasses", "datetime", "decimal",
    "fractions", "functools", "heapq", "itertools", "math", "numpy", "operator", "random", "re",
    "string", "sys", "time", "typing",
)  # fmt: skip
_OF_SYS = ("stdin", "stdout", "stderr", "exit", "maxsize", "setrecursionlimit")
_CAUGHT = ("EOFError", "ValueError", "KeyError", "IndexError", "ZeroDivisionError", "ImportError")
_SEEING = (
    "exec", "eval", "compile", "globals", "locals", "vars", "dir", "getattr", "setattr", "delattr",
    "breakpoint",
)  # fmt: skip
_SPECIAL = ("__init__", "__name__", "__contains__")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)


class PythonSource:
    """A parsed Python script. Reading it never fails: code that is not parsed has no nodes.

    ``whole``: the file is all of its program.
    """

    def __init__(self, text: str, *, whole: bool = True) -> None:
        self.text, self.whole = text, whole
        self.data = text.encode("utf-8", "surrogatepass")
        self.lines = [0, *(found.end() for found in re.finditer(rb"\n", self.data))]
        self.nodes: list[ast.AST] = []
        self.body: list[ast.stmt] = []
        self._above: dict[ast.AST, ast.AST] = {}
        try:
            tree = python_tree(text)
        except ValueError:
            return
        waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
        while waiting:
            node, depth = waiting.pop()
            self.nodes.append(node)
            below = list(ast.iter_child_nodes(node))
            self._above.update(dict.fromkeys(below, node))
            waiting += [(child, depth + 1) for child in reversed(below)]
            if depth > _DEEPEST:
                return
        self.body = tree.body if "\r" not in text.replace("\r\n", "") else []

    def above(self, node: ast.AST) -> ast.AST:
        """The node above another, the module above itself."""
        return self._above.get(node, node)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, the innermost first."""
        while (up := self.above(node)) is not node:
            yield (node := up)

    def scope(self, node: ast.AST) -> ast.AST:
        """The function, class or module around a node."""
        return next((up for up in self.around(node) if isinstance(up, _SCOPES)), node)

    @cached_property
    def names(self) -> dict[str, list[ast.Name]]:
        """The uses of each name, its assignments included, in source order."""
        found: defaultdict[str, list[ast.Name]] = defaultdict(list)
        for node in self.nodes:
            if isinstance(node, ast.Name):
                found[node.id].append(node)
        return found

    @cached_property
    def bound(self) -> Counter[str]:
        """How often the file gives a meaning to each name, anywhere."""
        return Counter(name for node in self.nodes for name in names_bound(node))

    def builtin(self, node: ast.AST | None, *names: str) -> bool:
        """Say whether a node is one of these built-in functions or classes."""
        return isinstance(node, ast.Name) and node.id in names and not self.bound[node.id]

    def calls(self, node: ast.AST, *names: str) -> bool:
        """Say whether a node is a call, without keywords, of one of these built-in functions."""
        return isinstance(node, ast.Call) and not node.keywords and self.builtin(node.func, *names)

    @cached_property
    def understood(self) -> bool:
        """Whether nothing in the script can see its text, names and frames, or errors about them.

        It is all of its program, and uses well-known modules only.
        """
        return self.whole and bool(self.body) and all(map(self._is_plain, self.nodes))

    def _is_plain(self, node: ast.AST) -> bool:  # noqa: PLR0911 - a case a kind
        match node:
            case ast.Name(id="sys"):
                return isinstance(self.above(node), ast.Attribute)
            case ast.Attribute(value=ast.Name("sys"), attr=name):
                return name in _OF_SYS
            case ast.Attribute(attr=name) if name[:2] == "__" != name[-2:]:
                return True  # private to a class of the file
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return name not in _SEEING and (name[:2] != "__" or name in _SPECIAL)
            case ast.Import(names=names):
                sys = any(alias.name == "sys" and alias.asname for alias in names)
                return not sys and all(one.name.partition(".")[0] in _MODULES for one in names)
            case ast.ImportFrom(module=module, names=names, level=0):
                taken = {alias.name for alias in names}
                known = (module or "").partition(".")[0] in _MODULES and "*" not in taken
                return known and (module != "sys" or taken <= {*_OF_SYS})
            case ast.ExceptHandler(type=caught, name=None):
                kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
                return all(self.builtin(kind, *_CAUGHT) for kind in kinds)
        unknown = isinstance(node, ast.ImportFrom | ast.ExceptHandler | ast.TryStar)
        return not unknown and getattr(node, "name", "") != "__del__"

    def assigned(self, target: ast.Name) -> ast.expr | None:
        """The expression that a plain assignment gives to a name; None for anything else."""
        match self.above(target), self.above(self.above(target)):
            case ((ast.AnnAssign(value=value) | ast.Assign(targets=[_], value=value)), _):
                return value
            case ast.Tuple(elts=names), ast.Assign(targets=[_], value=ast.Tuple(elts=parts)):
                starred = any(isinstance(one, ast.Starred) for one in (*parts, *names))
                if not starred and len(parts) == len(names):
                    return parts[names.index(target)]
        return None

    def span(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        """The bytes of a node."""
        end = self.lines[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        return self.lines[node.lineno - 1] + node.col_offset, end

    def wrapped(self, node: ast.stmt | ast.expr, before: str, after: str) -> list[Edit]:
        """Put texts directly before and after a node."""
        start, end = self.span(node)
        return [inserted(start, before), inserted(end, after)]

    def placed(self, node: ast.AST) -> bool:
        """Say whether the tree knows the place of a node: not within f-strings."""
        return not any(isinstance(up, ast.JoinedStr) for up in self.around(node))

    def fresh(self, stem: str) -> str:
        """A name with this beginning that does not occur in the file."""
        return fresh(self.text, stem)

    def edited(
        self, edits: Iterable[Edit], *, headers: Iterable[str] = (), support: Iterable[str] = ()
    ) -> str:
        """The text with all edits made, and below its docstring ``headers`` and ``support``.

        The text as it is where the edited one would not parse.
        """
        added = "".join(f"{line}\n" for line in headers) + "".join(f"{c}\n\n\n" for c in support)
        text = apply_edits(self.data, [inserted(self._top, added), *edits])
        try:
            python_tree(text)
        except ValueError:
            return self.text
        return text

    @property
    def _top(self) -> int:
        """The beginning of the line of the first statement after docstring and `__future__`."""
        docstring = [node for node in self.body[:1] if isinstance(node, ast.Expr)]
        found = [one for one in docstring if isinstance(one.value, ast.Constant)]
        rest = (n for n in self.body[len(found) :] if getattr(n, "module", "") != "__future__")
        return self.lines[first_line(next(rest)) - 1]


def inserted(place: int, text: str) -> Edit:
    """Insert a text at a byte."""
    return Edit(place, place, text)


def is_stored(name: ast.Name) -> bool:
    """Say whether a name is given a value or deleted there."""
    return not isinstance(name.ctx, ast.Load)


def names_bound(node: ast.AST) -> list[str]:
    """The names that a node itself gives a meaning to."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return [name]
        case ast.alias(name=name, asname=other):
            return [other or name.partition(".")[0]]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
    given = getattr(node, "name", None) or getattr(node, "rest", None)
    return [given] if isinstance(given, str) else []  # functions, classes, handlers and patterns
