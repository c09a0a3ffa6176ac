"""The reference of a kernel task: its constants, its required parts, and its form as a
candidate."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import StringIO

from maxcode.errors import TaskError
from maxcode.lang.syntax import first_line, global_names

MODEL, CANDIDATE = "Model", "ModelNew"
INPUTS = ("get_inputs", "get_init_inputs")

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
        """Raises :class:`~maxcode.errors.TaskError` with the line of a syntax error."""
        text = _LINE_END.sub("\n", text)
        try:
            return cls(text, ast.parse(text), where)
        except SyntaxError as error:
            line = f", line {error.lineno}" if error.lineno else ""
            raise TaskError(f"{where}{line}: not valid Python: {error.msg}") from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise TaskError(f"{where}: not valid Python: {error}") from error

    def error(self, message: str, node: ast.stmt | None = None) -> TaskError:
        """An error with the source, and the line of ``node``."""
        line = f", line {node.lineno}" if node else ""
        return TaskError(f"{self.where}{line}: {message}")

    def place(self, node: ast.stmt | ast.expr) -> int:
        """Where a node begins, after its decorators, in bytes."""
        return self._starts[node.lineno - 1] + node.col_offset

    def span(self, node: ast.expr) -> tuple[int, int]:
        """Where an expression begins and ends, in bytes."""
        last = (node.end_lineno or node.lineno) - 1
        return self.place(node), self._starts[last] + (node.end_col_offset or 0)

    def edited(self, edits: Iterable[Edit]) -> str:
        """The text after changes in separate places."""
        data = self.data
        for start, end, new in sorted(edits, reverse=True):
            data = data[:start] + new.encode() + data[end:]
        return data.decode()

    def without(self, statements: Iterable[ast.stmt]) -> str:
        """The text without top-level statements, nor comments and empty lines right above them.

        A line that another statement shares stays.
        """
        gone: set[int] = set()
        dropped = list(statements)
        kept = {n for one in self.tree.body if one not in dropped for n in _lines_of(one)}
        for statement in dropped:
            own = _lines_of(statement)
            if kept.isdisjoint(own):
                gone.update(own)
                above = own.start - 1
                while above > 0 and above not in kept and self.lines[above].startswith("#"):
                    gone.add(above)
                    above -= 1
                while above >= 0 and above not in kept and not self.lines[above].strip():
                    gone.add(above)
                    above -= 1
        return "\n".join(line for number, line in enumerate(self.lines) if number not in gone)

    @cached_property
    def names(self) -> dict[ast.stmt, tuple[set[str], set[str]]]:
        """The module's names that each top-level statement binds, and those that it uses.

        Names that are set from inside a function count as used.
        """
        return {one: global_names(ast.unparse(one)) for one in self.tree.body}

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return self.text.split("\n")

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode()

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins, in bytes."""
        return [0, *(found.end() for found in re.finditer(b"\n", self.data))]


def _lines_of(statement: ast.stmt) -> range:
    """Indices of the lines of a statement, with its decorators."""
    first = first_line(statement)
    return range(first - 1, statement.end_lineno or first)


Constant = bool | int | float | str | tuple["Constant", ...]
"""Values for a module-level constant."""


def with_constants(
    source: str, constants: Mapping[str, Constant], where: str = "the reference"
) -> str:
    """The source with other values assigned at its top level; derived values follow.

    Rewrites ``N = 4``, ``N: int = 4``, ``N, M = 4, 8`` and, if both get the same value, ``N = M =
    4``. A tuple takes the place of a list as a list. Raises :class:`~maxcode.errors.TaskError` for
    a name assigned otherwise or not at all; ``where`` names the source there.
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
    """The expressions assigned to the name at the top level, in their order.

    Raises :class:`~maxcode.errors.TaskError` for a binding beyond the reach of
    :func:`with_constants`; in ``N = M = 4``, ``together`` must hold both.
    """
    for statement in source.tree.body:
        value = _assigned(statement, name, together)
        if value is not None:
            yield value
        elif name in source.names[statement][0]:
            raise source.error(
                f"constant {name!r} is not simply assigned here, so it cannot be given another "
                f"value; write it as: {name} = ...",
                statement,
            )


def _assigned(statement: ast.stmt, name: str, together: Container[str]) -> ast.expr | None:
    """The value a plain assignment gives the name; None for any other statement."""
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
    named = (value for one, value in pairs if isinstance(one, ast.Name) and one.id == name)
    return next(named, None)


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr | None]]:
    """``N, M = 4, 8`` as two assignments."""
    sequence = (ast.Tuple, ast.List)
    if not isinstance(target, sequence) or not isinstance(value, sequence):
        return [(target, value)]
    parts = (*target.elts, *value.elts)
    if len(target.elts) != len(value.elts) or any(isinstance(p, ast.Starred) for p in parts):
        return []
    return list(zip(target.elts, value.elts, strict=True))


def _in_place_of(node: ast.expr, value: Constant) -> str:
    """The value as Python reads it, as a list in place of a list."""
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


def check_reference(source: str, where: str) -> None:
    """Raise :class:`~maxcode.errors.TaskError` for a reference without a required part.

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

    Left out are ``get_inputs``, ``get_init_inputs``, their callers, and statements needed only
    there; all else stays as it is. Raises :class:`~maxcode.errors.TaskError` when the class itself
    needs such a function.
    """
    parsed = PythonSource.parse(source, where)
    rest = PythonSource.parse(parsed.without(_dropped(parsed)).strip("\n") + "\n", where)
    renames = _renames(rest)
    return rest.edited(renames) if renames else f"{rest.text}\n\n{CANDIDATE} = {MODEL}\n"


def needed_constants(source: str, where: str = "the reference") -> set[str]:
    """Top-level names used by class ``Model``, directly or through others."""
    parsed = PythonSource.parse(source, where)
    reached = _reached(parsed, [_model(parsed)])
    return {name for statement in reached for name in parsed.names[statement][0]}


def input_constants(source: str, where: str = "the reference") -> set[str]:
    """Top-level names used to make inputs, directly or through others."""
    parsed = PythonSource.parse(source, where)
    roots = [s for s in parsed.tree.body if any(_defines(s, name) for name in INPUTS)]
    return {name for statement in _reached(parsed, roots) for name in parsed.names[statement][0]}


def _model(source: PythonSource) -> ast.ClassDef:
    """The class as it is in the end."""
    for statement in reversed(source.tree.body):
        if isinstance(statement, ast.ClassDef) and statement.name == MODEL:
            return statement
    raise source.error(f"defines no class {MODEL}, which says what is to be computed")


def _defines(statement: ast.stmt, name: str) -> bool:
    return isinstance(statement, ast.FunctionDef) and statement.name == name


def _dropped(source: PythonSource) -> list[ast.stmt]:
    """The functions that make inputs, their users, and statements needed only there."""
    body, model, names = source.tree.body, _model(source), source.names
    dropped = [statement for statement in body if names[statement][0] & set(INPUTS)]
    gone = set(INPUTS)
    while found := [
        s for s in body if s not in dropped and not _is_import(s) and names[s][1] & gone
    ]:
        dropped += found
        gone |= {name for statement in found for name in names[statement][0]}
    needed = _reached(source, [model]) & set(dropped)
    if needed:
        raise source.error(
            f"class {MODEL} needs {' or '.join(INPUTS)}, which candidates must not have",
            min(needed, key=lambda statement: statement.lineno),
        )
    theirs = _reached(source, dropped)
    rest = [s for s in body if s not in dropped]
    roots = [s for s in rest if s is model or s not in theirs or not names[s][0] or _is_import(s)]
    ours = _reached(source, roots)
    return [s for s in body if s in dropped or (s in theirs and s not in ours)]


def _reached(source: PythonSource, roots: Iterable[ast.stmt]) -> set[ast.stmt]:
    """The roots, and the statements that bind their names, and so on."""
    reached, front, names = set(roots), list(roots), source.names
    while front:
        used = names[front.pop()][1]
        found = [s for s, (bound, _) in names.items() if s not in reached and bound & used]
        reached.update(found)
        front += found
    return reached


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _renames(source: PythonSource) -> list[Edit]:
    """Each place where the class is named; none when the name also stands for something else."""
    model, words = _model(source), tokenize.generate_tokens(StringIO(source.text).readline)
    places = [source.data.index(MODEL.encode(), source.place(model))]
    places += [
        source.place(node)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Name) and node.id == MODEL and isinstance(node.ctx, ast.Load)
    ]
    if sum(word.string == MODEL for word in words) != len(places):
        return []
    return [(place, place + len(MODEL), CANDIDATE) for place in places]
