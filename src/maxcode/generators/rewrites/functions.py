"""Rewrites of functions: kept results, and options of the compiler."""

from __future__ import annotations

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import (
    CppSource,
    Edit,
    Function,
    Node,
    after,
    at_start,
    before,
)
from maxcode.generators.rewrites.support import load

_MOST_KEYS = 4
_PURE = ("abs", "min", "max", "gcd", "__gcd")


@rewrite(
    "Remembers the results of a recursive function instead of computing them again.",
    weight=10.0,
    requires="The function takes and returns whole numbers, and names nothing but these, variables "
    "of its own, constants and itself; the table is limited.",
    support=(load("memo_table"),),
)
def memoise(source: CppSource) -> Iterator[Site]:
    """For functions of one to four integers that call themselves at two places or more."""
    for function in source.functions if source.understood else ():
        calls = [c for c in function.body.walk("call_expression") if c.callee == function.name]
        whole = all(source.is_integer(p.type) and not p.form for p in function.parameters)
        if (
            len(calls) > 1
            and whole
            and 1 <= len(function.parameters) <= _MOST_KEYS
            and source.is_integer(function.return_type)
            and _names_its_own(source, function)
        ):
            yield _remembering(source, function)


def _names_its_own(source: CppSource, function: Function) -> bool:
    """Say whether a function names nothing that may change, and only numbers."""
    if function.body.has(
        "field_expression", "pointer_expression", "lambda_expression", "storage_class_specifier",
        "throw_statement", "template_function", "new_expression",
    ) or "constexpr" in function.head:  # fmt: skip
        return False

    def known(node: Node) -> bool:
        variable = source.resolve(node)
        if variable is None:
            called = node.is_called or node.parent.is_called  # the latter as `std::max`
            return called and node.text in (function.name, *_PURE)
        constant = variable.const and bool(variable.value)
        own = function.node.contains(variable.node)
        return source.is_arithmetic(variable.type) and (own or constant)

    alone = source.function(function.name) is function and source.declared.isdisjoint(_PURE)
    return alone and all(map(known, function.body.walk("identifier")))


def _remembering(source: CppSource, function: Function) -> Site:
    """Look results up at the beginning of a function, and keep them where it returns."""
    known, key, found = (source.fresh(name) for name in ("known", "key", "found"))
    names = ", ".join(f"static_cast<long long>({p.name})" for p in function.parameters)
    table = f"MemoTable<{function.return_type}, {len(function.parameters)}>"
    look_up = f"""
    static {table} {known};
    const {table}::Key {key}{{{names}}};
    if (auto {found} = {known}.find({key})) return *{found};
"""
    edits: list[Edit] = [at_start(function.body, look_up)]
    for returned in function.body.walk("return_statement"):
        value = returned.parts[0]
        edits += [before(value, f"{known}.store({key}, ("), after(value, "))")]
    return edits


@rewrite(
    "Asks the compiler to unroll loops.",
    weight=2.5,
    requires="The compiler may only repeat the bodies of loops; the file shows no line numbers.",
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
    languages=("c++", "c"),
)
def target_pragma(source: CppSource) -> Iterator[Site]:
    """Without fused multiplication and addition, which rounds once instead of twice."""
    yield from _pragma(source, 'target("avx2,bmi,bmi2,lzcnt,popcnt")')


def _pragma(source: CppSource, option: str) -> Iterator[Site]:
    """Yield a pragma before everything else, unless the file has it."""
    if source.text.strip() and f"#pragma GCC {option.partition('(')[0]}" not in source.text:
        yield [Edit(0, 0, f"#pragma GCC {option}\n")]
