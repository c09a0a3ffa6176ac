"""Facts about lines of Python programs; "" or nothing for code that does not parse."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from maxcode.lang.syntax import python_tree

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@lru_cache(maxsize=64)
def _nodes(code: str) -> tuple[ast.AST, ...]:
    try:
        return tuple(ast.walk(python_tree(code)))
    except ValueError:
        return ()


def _around(code: str, line: int) -> list[ast.For | ast.AsyncFor | ast.While]:
    """The loops around a line, the outermost first, itself included if it is a loop."""
    found = [
        node
        for node in _nodes(code)
        if isinstance(node, _LOOPS) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return sorted(found, key=lambda node: node.lineno)


def _on(code: str, line: int) -> Iterator[ast.AST]:
    return (node for node in _nodes(code) if getattr(node, "lineno", 0) == line)


def _name(node: ast.AST) -> str:
    """The dotted name that a node is, such as `self.seen`; "" for other code."""
    if isinstance(node, ast.Name):
        return node.id
    inner = _name(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{inner}.{node.attr}" if inner and isinstance(node, ast.Attribute) else ""


def _values(code: str, name: str) -> list[ast.expr]:
    """The expressions assigned to a name anywhere in the file."""
    return [
        node.value
        for node in _nodes(code)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if _name(target) == name
    ]


def _is_list(value: ast.expr) -> bool:
    called = value.func if isinstance(value, ast.Call) else value
    made = getattr(called, "attr", getattr(called, "id", ""))
    return isinstance(value, ast.List | ast.ListComp) or made in ("list", "sorted", "split")


def _is_text(value: ast.expr) -> bool:
    plain = isinstance(value, ast.Constant) and isinstance(value.value, str)
    return plain or isinstance(value, ast.JoinedStr)


def searched_list(code: str, line: int) -> str:
    """The list that `in` searches on a line."""
    for node in _on(code, line):
        if isinstance(node, ast.Compare) and isinstance(node.ops[-1], ast.In | ast.NotIn):
            name = _name(node.comparators[-1])
            values = _values(code, name)
            if name and values and all(map(_is_list, values)):
                return f"`{name}` is a list"
    return ""


def grown_text(code: str, line: int) -> str:
    """The string that grows by pieces on a line of a loop."""
    for node in _on(code, line) if _around(code, line) else ():
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            name = _name(node.target)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
            name = _name(node.targets[0])
            name = name if _name(node.value.left) == name else ""
        else:
            continue
        if name and any(map(_is_text, _values(code, name))):
            return f"`{name}` is a string"
    return ""
