"""Facts about lines of Python programs; "" or nothing for code that does not parse."""

from __future__ import annotations

import ast
from collections import Counter
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


def array_item(code: str, line: int) -> str:
    """The numpy array whose single items are used on a line of a loop."""
    for node in _on(code, line) if _around(code, line) else ():
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            name = _name(node.value)
            makers = (_name(v.func) for v in _values(code, name) if isinstance(v, ast.Call))
            if name and any(maker.startswith(("np.", "numpy.")) for maker in makers):
                return f"`{name}` is a numpy array"
    return ""


def looked_up_often(code: str, line: int) -> str:
    """A dotted name on a line that its innermost loop looks up several times a round."""
    loops = _around(code, line)
    if not loops:
        return ""
    dotted = [node for node in ast.walk(loops[-1]) if isinstance(node, ast.Attribute)]
    counted = Counter(name for node in dotted if (name := _name(node)))
    here = {name for node in dotted if node.lineno == line and (name := _name(node))}
    name = max(sorted(here), key=counted.__getitem__, default="")
    return f"`{name}` {counted[name]} times a round" if counted[name] > 1 else ""


def is_cached(code: str, name: str) -> bool:
    """Say whether a function of the file remembers its results by a decorator."""
    return any(
        "cache" in ast.dump(decorator)
        for node in _nodes(code)
        if isinstance(node, ast.FunctionDef) and node.name == name
        for decorator in node.decorator_list
    )
