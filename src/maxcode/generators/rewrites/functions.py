"""Rewrites of functions: kept results, arguments and copies, and options of the compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import (
    LOOPS,
    MISSING,
    CppSource,
    Edit,
    Function,
    Node,
    Variable,
    after,
    at_start,
    before,
    replace,
)
from maxcode.generators.rewrites.cpp.effects import is_shared
from maxcode.generators.rewrites.cpp.library import KNOWN_FUNCTIONS
from maxcode.generators.rewrites.cpp.names import plain, template
from maxcode.generators.rewrites.support import load


@rewrite(
    "Remembers the results of a costly function for arguments that come again.",
    weight=4.0,
    requires="The function is without effects, of integers only, calls no function that calls it, "
    "and reads no data that may change.",
    support=(load("memo_table"),),
)
def cache_results(source: CppSource) -> Iterator[Site]:
    """For functions with loops."""
    for function in source.functions:
        keys = [p.name for p in function.parameters if _is_key(source, p)]
        if (
            1 <= len(keys) <= _MOST_KEYS
            and len(keys) == len(function.parameters)
            and function.body.has(*LOOPS)
            and not _own_calls(function)
            and not _reads_globals(source, function)
            and _depends_on_arguments(source, function)
        ):
            yield _wrapped(source, function, keys, anew=False)


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
            anew = len(keys) < len(function.parameters) or _reads_globals(source, function)
            yield _wrapped(source, function, keys, anew=anew)


_MOST_KEYS = 4
_DEEPEST = 1000  # so that the stack holds little more than before


def _own_calls(function: Function) -> list[Node]:
    return [c for c in function.body.walk("call_expression") if c.callee == function.name]


def _is_key(source: CppSource, parameter: Variable) -> bool:
    kind = source.typing.variable(parameter)
    return not parameter.form and (source.is_integer(kind) or kind == "bool")


def _is_given(source: CppSource, call: Node, place: int, parameter: Variable) -> bool:
    """Say whether an argument of a call is a parameter as it is."""
    given = call.arguments
    return place < len(given) and source.resolve(given[place]) is parameter


def _wrapped(source: CppSource, function: Function, keys: list[str], *, anew: bool) -> Site:
    """Put a function of its name behind a remembering function; beyond a depth it forgets.

    If results also depend on values outside of the key, each call from outside starts ``anew``.
    """
    computed = source.fresh(f"{function.name}_computed")
    plain = source.fresh(f"{function.name}_plain")
    table = f"MemoTable<{function.return_type}, {len(keys)}>"
    key = ", ".join(f"static_cast<long long>({name})" for name in keys)
    listed = ", ".join(parameter.name for parameter in function.parameters)
    calls = _own_calls(function)
    lines = [f"static {table} known;"]
    if calls:
        lines += ["static int depth = 0;", f"if (depth == {_DEEPEST}) return {plain}({listed});"]
    if anew:
        lines += ["if (depth == 0) known.clear();"]
    lines += [
        f"const {table}::Key key{{{key}}};",
        "if (auto found = known.find(key)) return *found;",
        *(["++depth;"] if calls else []),
        f"{function.return_type} result = {computed}({listed});",
        *(["--depth;"] if calls else []),
        "return known.store(key, result);",
    ]
    body = "".join(f"    {line}\n" for line in lines)
    copy = _renamed(source, function, plain) + "\n\n" if calls else ""
    return [
        before(function.node, f"{function.head};\n{copy}"),
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
        source.function(function.name) is function
        and function.name != "main"
        and source.typing.number(source.typing.named(function.return_type))
        and names.isdisjoint(p.name for p in function.parameters)
        and function.name not in KNOWN_FUNCTIONS
        and source.purity.pure(function)
    )


def _reads_globals(source: CppSource, function: Function) -> bool:
    """Say whether a function or its callees use changeable global variables."""
    reached = [function, *source.effects.reached(function.body)]
    used = (v for one in reached for v in source.purity.global_variables(one))
    return any(not v.const or v.value.has("call_expression") for v in used)


@rewrite(
    "Passes strings, containers and objects that are only read by reference.",
    weight=7.0,
    requires="The function changes nothing that an argument could be part of, and the file is the "
    "whole program.",
)
def const_reference(source: CppSource) -> Iterator[Site]:
    """Earlier declarations of a function follow."""
    for function in source.functions:
        if source.function("main") is None or not source.purity.pure(function, prints=True):
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


def _only_called(source: CppSource, function: Function) -> bool:
    """Say whether a name means a single function, called with arguments without effects."""
    changing = ("assignment_expression", "update_expression", "lambda_expression")
    uses = [n for n in source.walk("identifier") if n.text == function.name]
    return source.function(function.name) is function and all(
        use is function.named
        or use.parent.type == "function_declarator"
        or (
            use.is_called
            and not use.parent.has(*changing)
            and all(map(source.purity.pure, source.effects.reached(use.parent["arguments"])))
        )
        for use in uses
    )


def _only_read(source: CppSource, parameter: Variable, body: Node) -> bool:
    return (
        not parameter.form
        and source.is_costly_to_copy(parameter.type)
        and not source.effects.writes(parameter, body)
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
    "Calls lambdas directly instead of through std::function.",
    weight=5.0,
    requires="A local variable holds one lambda of the very same types, without changing state, "
    "and is only called.",
)
def function_to_template(source: CppSource) -> Iterator[Site]:
    """A std::function hides the callee, so the compiler cannot insert it."""
    for variable in source.variables:
        value = variable.value
        if (
            template(variable.type)[0] != "function"
            or "function" in source.effects.declared
            or variable.kind != "local"
            or variable.form
            or not variable.alone
            or value.type != "lambda_expression"
            or not source.effects.proven(variable.declaration)
            or value.has("storage_class_specifier", "co_return_statement")
            or is_shared(variable)
        ):
            continue
        uses = source.uses(variable)
        result = _result_of_same_types(source, value["declarator"], variable.type)
        if result and all(use.is_called for use in uses):
            yield _called_directly(variable, uses, result)


def _result_of_same_types(source: CppSource, declarator: Node, held: str) -> str:
    """Return the result's type of a function<...> with the types of a lambda, or ""."""
    signature = re.fullmatch(r"function<([^()]+)\(([^()]*)\)>", held)
    listed = declarator["parameters"].parts
    own = [
        plain(f"{p['type'].text}{re.sub('[a-zA-Z_0-9]+$', '', p['declarator'].text)}")
        for p in listed
    ]
    if signature is None or not declarator or ",".join(own) != signature[2]:
        return ""
    mutable = any(child.type == "type_qualifier" for child in declarator.children)
    trailing = next(declarator.walk("trailing_return_type"), MISSING)
    returned = plain(trailing.text.removeprefix("->") or signature[1])
    known = all(source.typing.known(p["type"].text) for p in listed)
    result = signature[1]
    same = returned == result and (result == "void" or source.typing.known(result))
    return result if same and known and not mutable else ""


def _called_directly(variable: Variable, uses: list[Node], result: str) -> list[Edit]:
    """Name the type of a lambda `auto`; a recursive lambda is given itself as an argument."""
    declarator = variable.value["declarator"]
    listed = declarator["parameters"]
    edits = [replace(variable.type_node, "auto")]
    if any(variable.value.contains(use) for use in uses):
        comma = ", " if listed.parts else ""
        edits.append(at_start(listed, f"auto&& {variable.name}{comma}"))
        for use in uses:
            given = use.parent["arguments"]
            edits.append(at_start(given, variable.name + (", " if given.parts else "")))
    if not declarator.has("trailing_return_type"):
        edits.append(after(listed, f" -> {result}"))
    return edits


@rewrite(
    "Visits the elements of a container by reference instead of copying each.",
    weight=5.0,
    requires="The loop changes nothing that an element could be part of.",
)
def range_reference(source: CppSource) -> Iterator[Site]:
    """Only where the loop does not change its variable."""
    for loop in source.walk("for_range_loop"):
        visited = [v for v in source.variables if v.declaration is loop]
        container = source.resolve(loop["right"])
        if not visited or visited[0].form not in ("", "[binding]") or container is None:
            continue
        kind = source.typing.visited(loop["right"])
        same = visited[0].type == "auto" or source.typing.named(visited[0].type) == kind
        if (
            same
            and source.effects.proven(loop)
            and source.typing.known(kind)
            and (source.is_costly_to_copy(kind) or len(visited) > 1)
            and not source.effects.writes(container, loop["body"])
            and not source.effects.writes_visited(loop, loop["body"])
        ):
            yield _by_reference(visited[0])


@rewrite(
    "Asks the compiler to unroll loops.",
    weight=2.5,
    requires="The compiler may only repeat the bodies of loops; the file shows no line numbers.",
    max_single=0,
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
)
def target_pragma(source: CppSource) -> Iterator[Site]:
    """Without fused multiplication and addition, which rounds once instead of twice."""
    yield from _pragma(source, 'target("avx2,bmi,bmi2,lzcnt,popcnt")')


def _pragma(source: CppSource, option: str) -> Iterator[Site]:
    """Yield a pragma before everything else, unless the file has it."""
    if source.text.strip() and f"#pragma GCC {option.partition('(')[0]}" not in source.text:
        yield [Edit(0, 0, f"#pragma GCC {option}\n")]
