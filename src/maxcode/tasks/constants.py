"""Other values for the constants of a Python source."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping

from maxcode.tasks.python_source import Edit, PythonSource

Constant = bool | int | float | str | tuple["Constant", ...]
"""What a module-level constant may be set to."""


def with_constants(
    source: str, constants: Mapping[str, Constant], where: str = "the reference"
) -> str:
    """The source with other values assigned at its top level; what derives from them follows.

    Rewrites ``N = 4``, ``N: int = 4`` and ``N, M = 4, 8``, each time the name is assigned, and
    ``N = M = 4`` if both get the same value; all else stays as it is. A tuple takes the place of a
    list as a list. Raises
    :class:`~maxcode.errors.TaskError` for a name that is not assigned at the top level, or in
    another way; ``where`` names the source there.
    """
    parsed = PythonSource.parse(source, where)
    edits: set[Edit] = set()
    literals = {name: _literal(value) for name, value in constants.items()}
    for name, value in constants.items():
        same = [other for other in literals if literals[other] == literals[name]]
        found = list(values_of(parsed, name, same))
        if not found:
            raise parsed.error(f"assigns no constant {name!r} at its top level")
        edits |= {(*parsed.span(node), _in_place_of(node, value)) for node in found}
    return parsed.edited(edits)


def values_of(source: PythonSource, name: str, together: Container[str] = ()) -> Iterator[ast.expr]:
    """The expressions that the name is set to at the top level, in their order.

    Raises :class:`~maxcode.errors.TaskError` where it is bound in another way than
    :func:`with_constants` can rewrite; in ``N = M = 4``, ``together`` must hold both.
    """
    for statement in source.tree.body:
        value = _assigned(statement, name, together)
        if value is not None:
            yield value
        elif name in _bound(statement):
            raise source.error(
                f"constant {name!r} is not simply assigned here, so it cannot be given another "
                f"value; write it as: {name} = ...",
                statement,
            )


def _assigned(statement: ast.stmt, name: str, together: Container[str]) -> ast.expr | None:
    """What a plain assignment sets the name to; None for any other statement."""
    pairs: list[tuple[ast.expr, ast.expr | None]]
    if isinstance(statement, ast.AnnAssign):
        pairs = [(statement.target, statement.value)]
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        pairs = _pairs(statement.targets[0], statement.value)
    elif isinstance(statement, ast.Assign) and all(
        isinstance(target, ast.Name) and target.id in together for target in statement.targets
    ):
        pairs = [(target, statement.value) for target in statement.targets]
    else:
        return None
    return next((value for target, value in pairs if _is(target, name)), None)


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr | None]]:
    """``N, M = 4, 8`` as two assignments."""
    sequence = (ast.Tuple, ast.List)
    if not isinstance(target, sequence) or not isinstance(value, sequence):
        return [(target, value)]
    parts = (*target.elts, *value.elts)
    if len(target.elts) != len(value.elts) or any(isinstance(p, ast.Starred) for p in parts):
        return []
    return list(zip(target.elts, value.elts, strict=True))


def _is(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _bound(statement: ast.stmt) -> set[str]:
    """Names that a statement may bind, apart from those inside functions and classes."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return set()
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del)
    }


def _in_place_of(node: ast.expr, value: Constant) -> str:
    """The value as Python reads it, and a list where there was one."""
    while isinstance(node, ast.BinOp):  # [64] * 3
        node = node.left
    if isinstance(node, ast.List) and isinstance(value, tuple):
        return f"[{', '.join(map(_literal, value))}]"
    return _literal(value)


def _literal(value: Constant) -> str:
    """The value as Python reads it."""
    if isinstance(value, tuple):
        return f"({''.join(f'{_literal(part)}, ' for part in value).strip()})"
    if isinstance(value, float) and value - value != 0:  # repr gives inf and nan as names
        return f'float("{value}")'
    return f"({value!r})" if isinstance(value, int | float) and value < 0 else repr(value)
