"""Rewrites of functions: kept results, arguments and copies, and options of the compiler."""

from __future__ import annotations

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import (
    CppSource,
    Edit,
    Function,
    Node,
    Variable,
    after,
    before,
    replace,
)
from maxcode.generators.rewrites.cpp.changes import OUTPUT
from maxcode.generators.rewrites.support import load


@rewrite(
    "Remembers the results of a recursive function instead of computing them again.",
    weight=10.0,
    requires="The function is without effects, of integers and of data that stays the same during "
    "a call from outside; the table and the depth of its recursion are limited.",
    support=(load("memo_table"),),
)
def memoise(source: CppSource) -> Iterator[Site]:
    """For functions of one to four integers and of unchanging references."""
    for function in source.functions:
        calls = _own_calls(function)
        keys = [p.name for p in function.parameters if _is_key(source, p)]
        unchanging = all(
            p.name in keys
            or (
                p.form == "&"
                and p.const
                and all(_is_given(source, call, place, p) for call in calls)
            )
            for place, p in enumerate(function.parameters)
        )
        if len(calls) < 2 or not 1 <= len(keys) <= _MOST_KEYS or not unchanging:
            continue
        if _depends_on_arguments(source, function):
            yield _wrapped(source, function, keys)


_MOST_KEYS = 4
_DEEPEST = 1000  # so that the stack holds little more than before


def _own_calls(function: Function) -> list[Node]:
    return [c for c in function.body.walk("call_expression") if c.callee == function.name]


def _is_key(source: CppSource, parameter: Variable) -> bool:
    kind = source.expand(parameter.type)
    return not parameter.form and (source.is_integer(kind) or kind == "bool")


def _is_given(source: CppSource, call: Node, place: int, parameter: Variable) -> bool:
    """Say whether an argument of a call is a parameter as it is."""
    given = call.arguments
    return place < len(given) and source.resolve(given[place]) is parameter


def _wrapped(source: CppSource, function: Function, keys: list[str]) -> Site:
    """Put a function of its name behind a remembering function; beyond a depth it forgets.

    If there are arguments outside of the key, each call from outside starts anew.
    """
    computed = source.fresh(f"{function.name}_computed")
    plain = source.fresh(f"{function.name}_plain")
    table = f"MemoTable<{function.return_type}, {len(keys)}>"
    key = ", ".join(f"static_cast<long long>({name})" for name in keys)
    listed = ", ".join(parameter.name for parameter in function.parameters)
    anew = len(keys) < len(function.parameters)
    lines = [
        f"static {table} known;",
        "static int depth = 0;",
        f"if (depth == {_DEEPEST}) return {plain}({listed});",
        *(["if (depth == 0) known.clear();"] if anew else []),
        f"const {table}::Key key{{{key}}};",
        "if (auto found = known.find(key)) return *found;",
        "++depth;",
        f"{function.return_type} result = {computed}({listed});",
        "--depth;",
        "return known.store(key, result);",
    ]
    body = "".join(f"    {line}\n" for line in lines)
    return [
        before(function.node, f"{function.head};\n{_renamed(source, function, plain)}\n\n"),
        replace(function.named, computed),
        after(function.node, f"\n\n{function.head} {{\n{body}}}"),
    ]


def _renamed(source: CppSource, function: Function, name: str) -> str:
    """Return a function's text, in which it and its calls of itself have another name."""
    pieces, position = list[bytes](), function.node.start_byte
    for named in [function.named, *(call["function"] for call in _own_calls(function))]:
        pieces += [source.data[position : named.start_byte], name.encode()]
        position = named.end_byte
    return b"".join([*pieces, source.data[position : function.node.end_byte]]).decode()


def _depends_on_arguments(source: CppSource, function: Function) -> bool:
    """Say whether a function of its own name returns a number and does nothing else."""
    names = {"result", "known", "depth", "key", "found", "MemoTable"}
    return (
        function.name != "main"
        and source.is_arithmetic(function.return_type)
        and names.isdisjoint(p.name for p in function.parameters)
        and source.changes.by(function) == frozenset()
        and source.changes.reads_only_arguments(function)
    )


@rewrite(
    "Passes strings, containers and objects that are only read by reference.",
    weight=7.0,
    requires="The function changes nothing that an argument could be part of, and the file is the "
    "whole program.",
)
def const_reference(source: CppSource) -> Iterator[Site]:
    """Earlier declarations of a function follow."""
    for function in source.functions:
        if source.function("main") is None or not _keeps_arguments(source, function):
            continue
        if not _only_called(source, function):
            continue
        edits: list[Edit] = []
        for place, parameter in enumerate(function.parameters):
            if _only_read(source, parameter, function.body):
                edits += _by_reference(parameter)
                edits += _declared_by_reference(source, function, place)
        if edits:
            yield edits


def _keeps_arguments(source: CppSource, function: Function) -> bool:
    """Say whether a function changes at most its own objects, the output and global numbers."""
    changed = source.changes.by(function)
    return changed is not None and all(
        v is OUTPUT or (v.kind == "global" and not v.form and source.is_arithmetic(v.type))
        for v in changed
    ) and not any(p.form == "&" and not p.const for p in function.parameters)  # fmt: skip


def _only_called(source: CppSource, function: Function) -> bool:
    """Say whether a name means a single function, called with arguments without effects."""
    uses = [n for n in source.walk("identifier") if n.text == function.name]
    return source.function(function.name) is function and all(
        use is function.named
        or use.parent.type == "function_declarator"
        or (use.is_called and source.changes.of(use.parent["arguments"]) == frozenset())
        for use in uses
    )


def _only_read(source: CppSource, parameter: Variable, body: Node) -> bool:
    referring = (
        v for v in source.variables if body.contains(v.node) and "&" in v.form and not v.const
    )
    return (
        not parameter.form
        and source.is_costly_to_copy(parameter.type)
        and parameter not in (source.changes.of(body) or ())
        and not any(source.changes.holder(v.node) is parameter for v in referring)
    )


def _by_reference(variable: Variable) -> list[Edit]:
    const = [] if variable.const else [before(variable.type_node, "const ")]
    return [*const, after(variable.type_node, "&")]


def _declared_by_reference(source: CppSource, function: Function, place: int) -> Iterator[Edit]:
    """Yield the edits of that parameter where the function is declared only."""
    for declarator in source.walk("function_declarator"):
        given = declarator["parameters"].named_children
        if (
            declarator["declarator"].text == function.name
            and declarator.parent.type in ("declaration", "field_declaration")
            and len(given) == len(function.parameters)
            and given[place]["type"]
        ):
            yield before(given[place]["type"], "const ")
            yield after(given[place]["type"], "&")


@rewrite(
    "Asks the compiler to unroll loops.",
    weight=2.5,
    requires="The compiler may only repeat the bodies of loops; the file shows no line numbers.",
    max_single=0,
    languages=("c++", "c"),
)
def unroll_pragma(source: CppSource) -> Iterator[Site]:
    """For GCC; other compilers pass over it. Of many files only those that have loops change."""
    loops = any(source.walk("for_statement", "while_statement", "do_statement", "for_range_loop"))
    if loops and not source.mentions("__LINE__", "__builtin_LINE", "source_location"):
        yield from _pragma(source, 'optimize("unroll-loops")')


@rewrite(
    "Lets the compiler reorder floating point operations and unroll loops.",
    weight=3.5,
    requires="No result depends on the order of floating-point operations, NaN or infinity.",
    guess=True,
    max_single=0,
    languages=("c++", "c"),
)
def fast_math_pragma(source: CppSource) -> Iterator[Site]:
    """May change the last digits of floating point results."""
    yield from _pragma(source, 'optimize("Ofast,unroll-loops")')


@rewrite(
    "Lets the compiler use the vector instructions AVX2 and the like.",
    weight=3.5,
    requires="Every machine that runs the program has an x86 processor with AVX2.",
    guess=True,
    max_single=0,
    languages=("c++", "c"),
)
def target_pragma(source: CppSource) -> Iterator[Site]:
    """Without fused multiplication and addition, which rounds once instead of twice."""
    yield from _pragma(source, 'target("avx2,bmi,bmi2,lzcnt,popcnt")')


def _pragma(source: CppSource, option: str) -> Iterator[Site]:
    """Yield a pragma before everything else, unless the file has it."""
    if source.text.strip() and f"#pragma GCC {option.partition('(')[0]}" not in source.text:
        yield [Edit(0, 0, f"#pragma GCC {option}\n")]
