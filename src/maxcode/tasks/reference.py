"""The reference of a kernel task: what a file must define, and the candidate that it is itself."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator

from maxcode.tasks.python_source import Edit, PythonSource

MODEL, CANDIDATE = "Model", "ModelNew"
INPUTS = ("get_inputs", "get_init_inputs")

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def check_reference(source: str, where: str) -> None:
    """Raise :class:`~maxcode.errors.TaskError` for what lacks a part of a reference.

    Looks at the source only; nothing of it is run. ``where`` names it in errors.
    """
    parsed = PythonSource.parse(source, where)
    _model(parsed)
    for name in INPUTS:
        if not any(_defines(statement, name) for statement in parsed.tree.body):
            raise parsed.error(
                f"defines no function {name}(), which makes the arguments of "
                f"{'forward' if name == 'get_inputs' else 'the constructor'}"
            )
    for statement in parsed.tree.body:
        if isinstance(statement, ast.ClassDef) and statement.name == CANDIDATE:
            raise parsed.error(
                f"defines {CANDIDATE}, which is a candidate's name; a reference defines "
                f"{MODEL} alone",
                statement,
            )


def candidate_of(source: str, where: str = "the reference") -> str:
    """The reference as a candidate: ``Model`` is ``ModelNew``, and nothing makes inputs.

    Left out are ``get_inputs``, ``get_init_inputs``, what runs them, and what only they need;
    all else stays as it is. Raises :class:`~maxcode.errors.TaskError` when the class itself
    needs one of the functions.
    """
    parsed = PythonSource.parse(source, where)
    dropped = _dropped(parsed)
    kept = [statement for statement in parsed.tree.body if statement not in dropped]
    edits = [parsed.removal(statement) for statement in dropped]
    renames = _renames(parsed, kept)
    text = parsed.edited([*edits, *renames]).strip("\n") + "\n"
    return text if renames else f"{text}\n\n{CANDIDATE} = {MODEL}\n"


def needed_constants(source: str, where: str = "the reference") -> set[str]:
    """Top-level names that class ``Model`` uses, directly or through others."""
    parsed = PythonSource.parse(source, where)
    reached = _reached(parsed, [_model(parsed)])
    return {name for statement in reached for name in _bound(statement)}


def input_constants(source: str, where: str = "the reference") -> set[str]:
    """Top-level names that the functions that make inputs use, directly or through others."""
    parsed = PythonSource.parse(source, where)
    roots = [s for s in parsed.tree.body if any(_defines(s, name) for name in INPUTS)]
    return {name for statement in _reached(parsed, roots) for name in _bound(statement)}


def _model(source: PythonSource) -> ast.ClassDef:
    """The class as it is in the end."""
    for statement in reversed(source.tree.body):
        if isinstance(statement, ast.ClassDef) and statement.name == MODEL:
            return statement
    raise source.error(f"defines no class {MODEL}, which says what is to be computed")


def _defines(statement: ast.stmt, name: str) -> bool:
    return isinstance(statement, ast.FunctionDef) and statement.name == name


def _dropped(source: PythonSource) -> list[ast.stmt]:
    """The functions that make inputs, what uses them, and what nothing else needs."""
    body, model = source.tree.body, _model(source)
    dropped = [statement for statement in body if _bound(statement) & set(INPUTS)]
    gone = set(INPUTS)
    while found := [
        s for s in body if s not in dropped and not _is_import(s) and _used(source, s) & gone
    ]:
        dropped += found
        gone |= {name for statement in found for name in _bound(statement)}
    needed = _reached(source, [model]) & set(dropped)
    if needed:
        raise source.error(
            f"class {MODEL} needs {' or '.join(INPUTS)}, which candidates must not have",
            min(needed, key=lambda statement: statement.lineno),
        )
    theirs = _reached(source, dropped)
    rest = [s for s in body if s not in dropped]
    roots = [s for s in rest if s is model or s not in theirs or not _bound(s) or _is_import(s)]
    ours = _reached(source, roots)
    return [s for s in body if s in dropped or (s in theirs and s not in ours)]


def _reached(source: PythonSource, roots: Iterable[ast.stmt]) -> set[ast.stmt]:
    """The roots, and the statements that bind what they use, and so on."""
    reached, front = set(roots), list(roots)
    while front:
        used = _used(source, front.pop())
        found = [s for s in source.tree.body if s not in reached and _bound(s) & used]
        reached.update(found)
        front += found
    return reached


def _bound(statement: ast.stmt) -> set[str]:
    """The names of a definition or a plain assignment; empty for statements that do more."""
    if isinstance(statement, _DEFINITIONS):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    parts = [part for target in targets for part in _parts(target)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names if all(isinstance(part, ast.Name) for part in parts) else set()


def _parts(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _parts(part)
    else:
        yield target.value if isinstance(target, ast.Starred) else target


def _used(source: PythonSource, statement: ast.stmt) -> set[str]:
    """Module-level names that a statement uses, or sets from inside a function."""
    top = symtable.symtable(source.segment(statement), source.where, "exec")
    names = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    front = top.get_children()
    while front:
        scope = front.pop()
        names |= {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global()}
        front += scope.get_children()
    return names


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _renames(source: PythonSource, kept: list[ast.stmt]) -> list[Edit]:
    """Each place where the class is named; none when the name also stands for something else."""
    nodes = [node for statement in kept for node in ast.walk(statement)]
    model, data = _model(source), source.text.encode()
    if any(_means_another(node, model) for node in nodes):
        return []
    places = [data.index(MODEL.encode(), source.place(model))]
    places += [source.place(n) for n in nodes if isinstance(n, ast.Name) and n.id == MODEL]
    return [(place, place + len(MODEL), CANDIDATE) for place in places]


def _means_another(node: ast.AST, model: ast.ClassDef) -> bool:
    """Whether a node gives the name of the class to something else."""
    if isinstance(node, ast.Name):
        return node.id == MODEL and not isinstance(node.ctx, ast.Load)
    if isinstance(node, _DEFINITIONS):
        return node.name == MODEL and node is not model
    if isinstance(node, ast.alias):
        return MODEL in (node.asname, node.name)
    if isinstance(node, ast.Global | ast.Nonlocal):
        return MODEL in node.names
    if isinstance(node, ast.arg):
        return node.arg == MODEL
    return getattr(node, "name", None) == MODEL and node is not model
