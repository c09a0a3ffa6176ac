"""Rewrites of Python scripts: faster input, locals for globals."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Collection, Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp.tree import Edit
from maxcode.generators.rewrites.python_source import PythonSource, inserted, names_bound
from maxcode.generators.rewrites.support import Support

_LINES = Support(
    ("from sys import stdin as input_stream",),
    """def read_line(readline=input_stream.readline):
    line = readline()
    if not line:
        raise EOFError("EOF when reading a line")
    return line[:-1] if line[-1] == "\\n" else line""",
)


@rewrite(
    "Reads lines by sys.stdin.readline instead of input().",
    weight=7.0,
    requires="Every input() is without a prompt, and nothing else reads standard input.",
    support=(_LINES,),
    languages=("python",),
    max_single=0,
)
def read_lines(source: PythonSource) -> Iterator[Site]:
    """A missing line raises EOFError as before."""
    uses = source.names.get("input", [])
    calls = [source.above(name) for name in uses]
    ready = source.understood and uses and all(map(source.placed, uses))
    if not ready or not all(source.calls(call, "input") for call in calls):
        return
    prompts = any(isinstance(call, ast.Call) and call.args for call in calls)
    if not prompts and not any(word in source.text for word in ("stdin", "open", "read_line")):
        yield [Edit(*source.span(name), "read_line") for name in uses]


@rewrite(
    "Runs the loops of a script in a function: local variables are faster than global ones.",
    weight=7.5,
    requires="No statement moved defines functions or classes, deletes names or annotates them; "
    "names that functions use stay global.",
    languages=("python",),
    max_single=0,
)
def loops_in_main(source: PythonSource) -> Iterator[Site]:
    """All statements after the last definition or import."""
    fixed = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    kept = max((n + 1 for n, node in enumerate(source.body) if isinstance(node, fixed)), default=0)
    moved = source.body[kept:]
    if not moved or not source.understood or moved[0].col_offset:
        return
    nodes = [node for statement in moved for node in ast.walk(statement)]
    if not any(isinstance(node, ast.For | ast.While) for node in nodes):
        return
    unmovable = (
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.ClassDef,
        ast.Global,
        ast.Delete,
        ast.AnnAssign,
    )
    if any(isinstance(node, unmovable) for node in nodes):
        return
    start, main = source.lines[moved[0].lineno - 1], source.fresh("main")
    bound = {name for node in nodes for name in names_bound(node)}
    try:
        outside = _names_outside(source.data[:start].decode()) | {*dir(builtins)}
    except SyntaxError:  # of names
        return
    if not bound - outside:
        return
    shared = ", ".join(sorted(bound & outside))
    head = f"def {main}():\n" + (f"    global {shared}\n" if shared else "")
    end = len(source.data)
    within = {line for node in nodes for line in _within_strings(node)}
    first, last = moved[0].lineno, moved[-1].end_lineno or 0
    lines = [n for n in range(first, last + 1) if n not in within]
    indents = [inserted(source.lines[n - 1], "    ") for n in lines]
    yield [inserted(start, head), *indents, inserted(end, f"\n\n\n{main}()\n")]


def _within_strings(node: ast.AST) -> Collection[int]:
    """The lines that begin within a string."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        return range(node.lineno + 1, (node.end_lineno or 0) + 1)
    return ()


def _names_outside(text: str) -> set[str]:
    """The global names that a text has or uses."""
    waiting = [symtable.symtable(text, "script", "exec")]
    found = {*waiting[0].get_identifiers()}
    while waiting:
        table = waiting.pop()
        found.update(one.get_name() for one in table.get_symbols() if one.is_global())
        waiting += table.get_children()
    return found
