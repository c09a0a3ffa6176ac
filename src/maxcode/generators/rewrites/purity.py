"""Proof that a recursive Python function computes its result from its arguments alone."""

from __future__ import annotations

import ast

from maxcode.generators.rewrites.python_source import PythonSource, is_stored, names_bound

_PURE = ("abs", "min", "max", "len", "int", "str", "bool", "sum", "pow", "divmod", "range")
_HARMLESS = (
    ast.Return, ast.If, ast.For, ast.While, ast.Assign, ast.AugAssign, ast.Expr, ast.Pass,
    ast.Break, ast.Continue, ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp,
    ast.Compare, ast.IfExp, ast.Slice, ast.Tuple, ast.List, ast.GeneratorExp, ast.ListComp,
    ast.comprehension, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip


def _depth(source: PythonSource, value: ast.AST) -> int | None:  # noqa: PLR0911 - a case a form
    """How many lists are around the plain values in a new value; None if unknown."""
    match value:
        case ast.Constant():
            return 0
        case ast.Name(id=name):
            return 0 if _constant(source, name, value.lineno) == 0 else None
        case ast.Call(func=ast.Attribute(value=text, attr="split" | "strip" as attr)):
            return ("strip", "split").index(attr) if _depth(source, text) == 0 else None
        case ast.Call(args=[function, _]) if source.calls(value, "map"):
            return 1 if source.builtin(function, "int", "float", "str") else None
        case ast.Call(args=[inner]) if source.calls(value, "list", "tuple", "sorted"):
            depth = _depth(source, inner)
            return depth if depth is None else max(depth, 1)
        case ast.Call() if source.calls(value, "input", "int", "float", "str", "len"):
            return 0
        case ast.BinOp(left=left, right=right) if _depth(source, right) == 0:
            depth = _depth(source, left)
            return depth if depth == 0 or isinstance(value.op, ast.Mult) else None
        case ast.List(elts=[part, *_] as parts) | ast.ListComp(elt=part as parts):
            every = parts if isinstance(parts, list) else [part]
            depths = {_depth(source, one) for one in every}
            depth = depths.pop()
            return None if depths or depth is None else depth + 1
    return None


def _constant(source: PythonSource, name: str, before: float = float("inf")) -> int | None:
    """The depth of a global variable that never changes, nor anything in it; None for others.

    It must get its value before a line.
    """
    stores = [node for node in source.names.get(name, ()) if is_stored(node)]
    if len(stores) != 1 or source.bound[name] != 1 or stores[0].lineno >= before:
        return None
    statement = next(up for up in source.around(stores[0]) if isinstance(up, ast.stmt))
    if statement not in source.body or not isinstance(statement, ast.Assign):
        return None
    value = source.assigned(stores[0])
    depth = _depth(source, value or statement.value)
    if value is None:  # a, b = map(int, input().split())
        depth = 0 if depth == 1 else None
    uses = (node for node in source.names[name] if node is not stores[0])
    return depth if depth is not None and all(_is_read(source, n, depth) for n in uses) else None


def _is_read(source: PythonSource, node: ast.AST, depth: int) -> bool:
    """Say whether a place only reads plain values in lists of that depth."""
    up = source.above(node)
    match up:
        case _ if depth == 0 or source.calls(up, "len"):
            return True
        case ast.Subscript(value=value, slice=index, ctx=ast.Load()) if value is node:
            return not isinstance(index, ast.Slice) and _is_read(source, up, depth - 1)
        case ast.For(iter=value) | ast.comprehension(iter=value) if value is node:
            return depth == 1
    return (
        depth == 1 and source.calls(up, "sum", "min", "max") and len(getattr(up, "args", ())) == 1
    )


def _names(node: ast.comprehension) -> list[ast.Name]:
    """The variables of a comprehension, which mean nothing outside of it."""
    return [one for one in ast.walk(node.target) if isinstance(one, ast.Name)]


def _is_global(source: PythonSource, node: ast.AST) -> bool:
    """Say whether a node may give a meaning to a global name."""
    return isinstance(source.scope(node), ast.Module) or isinstance(node, ast.Global)


def is_pure_recursion(source: PythonSource, function: ast.FunctionDef) -> bool:
    """Say whether a function calls itself at two places or more, and changes nothing outside."""
    nodes = [node for statement in function.body for node in ast.walk(statement)]
    given, parameters = function.args, {one.arg for one in function.args.args}
    local = {node.id for node in nodes if isinstance(node, ast.Name) and is_stored(node)}
    others = (*given.posonlyargs, *given.kwonlyargs, given.vararg, given.kwarg)
    walked = {n.id for node in nodes if isinstance(node, ast.comprehension) for n in _names(node)}
    outside = {n for one in source.nodes if _is_global(source, one) for n in names_bound(one)}
    plain = not any((*others, *function.decorator_list)) and source.bound[function.name] == 1
    if not plain or not parameters or parameters & local or walked & outside:
        return False

    def harmless(node: ast.AST) -> bool:
        match node:
            case ast.Name(id=name):
                return name in parameters | local or _constant(source, name) is not None
            case ast.Call(func=ast.Name(id=name), keywords=[]):
                return name == function.name or source.calls(node, *_PURE)
            case ast.Subscript(ctx=context):
                return isinstance(context, ast.Load)
        return isinstance(node, _HARMLESS)

    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    own = [node for node in called if isinstance(node, ast.Name) and node.id == function.name]
    constant = all(isinstance(one, ast.Constant) for one in given.defaults)
    return len(own) > 1 and constant and all(harmless(n) for n in nodes if n not in called)
