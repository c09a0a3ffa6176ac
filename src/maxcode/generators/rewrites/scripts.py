"""Rewrites of Python scripts: other containers, remembered results, locals for globals."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp.tree import Edit
from maxcode.generators.rewrites.purity import is_pure_recursion
from maxcode.generators.rewrites.python_source import (
    PythonSource,
    inserted,
    is_stored,
    names_bound,
)
from maxcode.generators.rewrites.support import Support
from maxcode.lang.syntax import global_names

_MEMBERS = Support((), '''class MemberList(list):
    """A list that finds plain values by a set of them."""

    plain = frozenset((bool, bytes, float, int, str, type(None)))

    def __init__(self, items=()):
        super().__init__()
        self.known = set()
        for item in items:
            self.append(item)

    def append(self, item):
        list.append(self, item)
        if self.known is not None and self.is_plain(item):
            self.known.add(item)
        else:
            self.known = None

    def __contains__(self, item):
        if self.known is None or not (type(item) in self.plain or self.is_plain(item)):
            return list.__contains__(self, item)
        return item in self.known

    def is_plain(self, item):
        if type(item) is tuple:
            return all(type(part) in self.plain for part in item)
        return type(item) in self.plain''')  # fmt: skip
_LINES = Support(
    ("from sys import stdin as input_stream",),
    """def read_line(readline=input_stream.readline):
    line = readline()
    if not line:
        raise EOFError("EOF when reading a line")
    return line[:-1] if line[-1] == "\\n" else line""",
)
_READERS = ("sum", "min", "max", "sorted", "any", "all", "list", "tuple", "set")


@dataclass(frozen=True, slots=True)
class _Held:
    """A variable that holds nothing but new lists, and all places that name it."""

    values: Sequence[ast.expr]
    uses: Sequence[ast.Name]


def _held(source: PythonSource) -> Iterator[_Held]:
    for name, everywhere in source.names.items() if source.understood else ():
        values = {node: source.assigned(node) for node in everywhere if is_stored(node)}
        if not any(value and _is_new_list(source, value) for value in values.values()):
            continue
        for scope in dict.fromkeys(map(source.scope, values)):
            inside = [n for n in everywhere if scope in (source.scope(n), *source.around(n))]
            stores = [node for node in inside if is_stored(node)]
            bound = {node for node in ast.walk(scope) if name in names_bound(node)}
            if isinstance(scope, ast.ClassDef) or bound != set(stores):
                continue
            lists = [v for n in stores if (v := values[n]) and _is_new_list(source, v)]
            if len(lists) == len(stores) and {*map(source.scope, stores)} == {scope}:
                yield _Held(lists, [node for node in inside if node not in stores])


def _is_new_list(source: PythonSource, value: ast.expr) -> bool:
    if isinstance(value, ast.List | ast.ListComp) or source.calls(value, "list", "sorted"):
        return True
    match value:
        case ast.Call(func=ast.Attribute(value=text, attr="split")):
            return source.calls(text, "input") and not source.bound["split"]
    return False


def _is_tested(source: PythonSource, node: ast.AST) -> bool:
    """Say whether only the truth of an expression counts."""
    up = source.above(node)
    if isinstance(up, ast.BoolOp):
        return _is_tested(source, up)
    negated = isinstance(up, ast.UnaryOp) and isinstance(up.op, ast.Not)
    return negated or (isinstance(up, ast.If | ast.While | ast.IfExp) and up.test is node)


def _use(source: PythonSource, name: ast.Name) -> tuple[str, ast.AST]:  # noqa: PLR0911 - a case a use
    """The kind of a reading place, and its node; "" for a place that may do anything."""
    up = source.above(name)
    above = source.above(up)
    match up:
        case ast.Attribute(attr=attr) if isinstance(above, ast.Call) and above.func is up:
            return ("" if above.keywords else f".{attr}"), above  # a key may look at a list sorted
        case ast.Subscript(value=value, ctx=ast.Load()) if value is name:
            return "[]", up
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]) if right is name:
            return "in", up
        case ast.Call(func=ast.Name(id="len" | "print" as called)) if not source.bound[called]:
            return called, up
        case ast.Call(func=called, args=[_]) if source.builtin(called, *_READERS):
            return "each", up
        case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join")):
            return "each", up
        case ast.For(iter=value) if value is name:
            return "each", up
        case ast.Starred() if source.builtin(getattr(above, "func", None), "print"):
            return "each", above
        case ast.comprehension() if isinstance(above, ast.ListComp) or source.calls(
            source.above(above), *_READERS
        ):
            return "each", above
        case ast.Return() if not source.bound["list"]:
            guarded = any(isinstance(node, ast.Try) for node in source.around(up))
            return ("" if guarded else "return"), up
    return ("test" if _is_tested(source, name) else ""), up


def _made(source: PythonSource, held: _Held, maker: str) -> Iterator[Edit]:
    """Make the variable's lists another container, and lists again where they are returned."""
    for value in held.values:
        yield from source.wrapped(value, f"{maker}(", ")")
    for name in held.uses:
        if isinstance(source.above(name), ast.Return):
            yield from source.wrapped(name, "list(", ")")


@rewrite(
    "Finds the items of a list by a set of them.",
    weight=8.0,
    requires="The variable holds new lists only, which are appended to and read; a value that has "
    "no plain type is searched for as before.",
    support=(_MEMBERS,),
    languages=("python",),
)
def member_list(source: PythonSource) -> Iterator[Site]:
    """A subclass of list, so everything but the search is left as it is."""
    reads = {"in", "len", "each", "print", "[]", "test", "return"}
    methods = {".append", ".sort", ".reverse", ".index", ".count", ".copy"}
    for held in _held(source):
        kinds = {_use(source, name)[0] for name in held.uses}
        grows = ".append" in kinds or not all(isinstance(v, ast.List) for v in held.values)
        known = "MemberList" not in source.text and kinds <= reads | methods
        if "in" in kinds and grows and known:
            yield list(_made(source, held, "MemberList"))


@rewrite(
    "Takes from the front of a deque instead of a list, which moves all other items.",
    weight=8.5,
    requires="The variable holds new lists only, whose ends are changed and read, and which do "
    "not change while they are walked through.",
    languages=("python",),
    headers=("from collections import deque as double_ended",),
)
def list_to_deque(source: PythonSource) -> Iterator[Site]:
    """For `pop(0)` and `insert(0, x)`."""
    for held in _held(source):
        uses = [_end_use(source, name) for name in held.uses]
        kinds = {kind for kind, _, _ in uses}
        if "" in kinds or not kinds & {"popleft", "appendleft"}:
            continue
        changing = [n for kind, n, _ in uses if kind not in ("each", "in", "len", "test", "return")]
        walked = [node for kind, node, _ in uses if kind in ("each", "in")]
        scopes = {source.scope(node) for node in (*changing, *held.values)}
        inside = {up for node in changing for up in source.around(node)}
        if walked and (len(scopes) > 1 or inside.intersection(walked)):
            continue
        if "double_ended" not in source.text and all(map(source.placed, changing)):
            edits = chain.from_iterable(edits for _, _, edits in uses)
            yield [*_made(source, held, "double_ended"), *edits]


def _end_use(source: PythonSource, name: ast.Name) -> tuple[str, ast.AST, Site]:
    """The kind of a use that a deque serves too, its node, and its edits; "" for another."""
    kind, node = _use(source, name)
    edits: Site = ()
    match node, [kind, *getattr(node, "args", ())]:
        case ast.Call(func=method), [".pop", ast.Constant(value=0)]:
            place = source.span(method)[1] - len("pop")
            kind, edits = "popleft", [Edit(place, source.span(node)[1], "popleft()")]
        case ast.Call(func=method), [".insert", ast.Constant(value=0) as first, _]:
            place = source.span(method)[1] - len("insert")
            comma = source.data.index(b",", source.span(first)[1])
            kind, edits = "appendleft", [Edit(place, comma + 1, "appendleft(")]
        case ast.Call(), [".append" | ".extend", _] | [".pop" | ".clear"]:
            pass
        case ast.Subscript(slice=ast.Constant(value=0)), _:
            kind = "len"
        case ast.Subscript(slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))), _:
            kind = "len"
        case _ if kind.startswith((".", "[", "pr")):
            kind = ""
    return kind, node, edits


@rewrite(
    "Remembers the results of a recursive function instead of computing them again.",
    weight=10.0,
    requires="The function reads its arguments and data that never changes, and changes nothing; "
    "plain results of whole numbers and strings are kept.",
    languages=("python",),
)
def remember_results(source: PythonSource) -> Iterator[Site]:
    """Within the function, so the recursion is no deeper than before."""
    for function in source.body if source.understood else ():
        if not isinstance(function, ast.FunctionDef) or not is_pure_recursion(source, function):
            continue
        body = function.body[1:] if ast.get_docstring(function) else function.body
        names = [one.arg for one in function.args.args]
        used = ("type", "bool", "float", "int", "str")
        if not body or body[0].lineno == function.lineno or any(map(source.bound.get, used)):
            continue
        memo, key = source.fresh(f"results_of_{function.name}"), source.fresh("key")
        result, indent = source.fresh("result"), " " * body[0].col_offset
        plain = " and ".join(f"type({name}) in (int, str)" for name in names)
        look_up = f"""{key} = ({", ".join(names)}) if {plain} else None
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


@rewrite(
    "Reads lines by sys.stdin.readline instead of input().",
    weight=7.0,
    requires="Every input() is without a prompt, and nothing else reads standard input.",
    support=(_LINES,),
    languages=("python",),
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
        outside = {*dir(builtins)}.union(*global_names(source.data[:start].decode()))
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
