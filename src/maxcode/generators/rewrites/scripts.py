"""Rewrites of Python scripts: remembered results, faster input, locals for globals."""

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
_PURE = ("abs", "min", "max", "len", "int", "str", "bool", "sum", "pow", "divmod", "range")
_HARMLESS = (
    ast.Return, ast.If, ast.For, ast.While, ast.Assign, ast.AugAssign, ast.Pass, ast.Break,
    ast.Continue, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip


@rewrite(
    "Remembers the results of a recursive function instead of computing them again.",
    weight=10.0,
    requires="The function names nothing but its arguments, variables of its own, common built-in "
    "functions and itself; plain results of whole numbers and strings are kept.",
    languages=("python",),
)
def remember_results(source: PythonSource) -> Iterator[Site]:
    """Within the function, so the recursion is no deeper than before."""
    for function in source.body if source.understood else ():
        if not isinstance(function, ast.FunctionDef) or not _is_pure_recursion(source, function):
            continue
        body = function.body[1:] if ast.get_docstring(function) else function.body
        names = [one.arg for one in function.args.args]
        used = ("type", "bool", "float", "int", "str")
        if not body or body[0].lineno == function.lineno or any(map(source.bound.get, used)):
            continue
        memo, key = source.fresh(f"results_of_{function.name}"), source.fresh("key")
        result, indent = source.fresh("result"), " " * body[0].col_offset
        plain = " and ".join(f"type({name}) in (int, str)" for name in names)
        look_up = f"""{key} = ({", ".join(names)},) if {plain} else None
{indent}if {key} is not None and {key} in {memo}:
{indent * 2}return {memo}[{key}]
{indent}"""
        keep = (
            f"; {memo}[{key} if type({result}) in (bool, float, int, str) else None] = {result}"
            f"; return {result}"
        )
        edits = [
            inserted(source.lines[function.lineno - 1], f"{memo} = {{}}\n\n\n"),
            inserted(source.span(body[0])[0], look_up),
        ]
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value:
                start, end = source.span(node)
                edits += [Edit(start, start + 6, f"{result} ="), inserted(end, keep)]
        yield edits


def _is_pure_recursion(source: PythonSource, function: ast.FunctionDef) -> bool:
    """Say whether a function calls itself at two places or more, and does nothing else outside."""
    given, parameters = function.args, {one.arg for one in function.args.args}
    others = (*given.posonlyargs, *given.kwonlyargs, given.vararg, given.kwarg, *given.defaults)
    if any((*others, *function.decorator_list)) or source.bound[function.name] != 1:
        return False
    body = function.body[1:] if ast.get_docstring(function) else function.body
    nodes = [node for statement in body for node in ast.walk(statement)]
    own = parameters | {name for node in nodes for name in names_bound(node)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    repeated = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == function.name]
    called = {call.func for call in calls}
    return (
        len(repeated) > 1
        and bool(parameters)
        and function.name not in own
        and all(call in repeated or source.calls(call, *_PURE) for call in calls)
        and not any(call.keywords for call in calls)
        and all(
            isinstance(node, (*_HARMLESS, ast.Call))
            or (isinstance(node, ast.Name) and (node in called or node.id in own))
            for node in nodes
        )
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
