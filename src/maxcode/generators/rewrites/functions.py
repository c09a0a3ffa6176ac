"""Rewrites of functions: results kept, what is passed and copied, and options of the compiler."""

from __future__ import annotations

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import (
    LOOPS,
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
from maxcode.generators.rewrites.cpp.names import template
from maxcode.generators.rewrites.support import load


@rewrite(
    "Remembers the results of a costly function for arguments that come again.",
    weight=4.0,
    headers=("map", "string", "tuple"),
)
def cache_results(source: CppSource) -> Iterator[Site]:
    """For functions with loops, without effects, of numbers and strings only."""
    for function in source.functions:
        if (
            function.parameters
            and function.name != "main"
            and function.body.has(*LOOPS)
            and all(
                (p.form == "" or (p.form == "&" and p.const))
                and (source.is_arithmetic(p.type) or source.expand(p.type) == "string")
                for p in function.parameters
            )
            and not _reads_globals(source, function)
            and _depends_on_arguments(source, function)
        ):
            computed = source.fresh(f"{function.name}_computed")
            names = _listed(function)
            yield _wrapped(
                function,
                computed,
                f"using Key = decltype(std::make_tuple({names}));",
                f"static std::map<Key, {function.return_type}> known;",
                f"const Key key({names});",
                "auto found = known.find(key);",
                "if (found == known.end()) {",
                f"    found = known.emplace(key, {computed}({names})).first;",
                "}",
                "return found->second;",
            )


@rewrite(
    "Remembers the results of a recursive function instead of computing them again.",
    weight=10.0,
    support=(load("memo_table"),),
)
def memoise(source: CppSource) -> Iterator[Site]:
    """For functions without effects, of one to four integers and of unchanging references."""
    for function in source.functions:
        calls = [c for c in function.body.walk("call_expression") if c.callee == function.name]
        keys = [p.name for p in function.parameters if _is_key(source, p)]
        unchanging = all(
            p.name in keys
            or (p.form == "&" and all(_given(call, place) == p.name for call in calls))
            for place, p in enumerate(function.parameters)
        )
        if len(calls) < 2 or not 1 <= len(keys) <= 4 or not unchanging:
            continue
        if _depends_on_arguments(source, function):
            yield _memoised(source, function, keys)


def _is_key(source: CppSource, parameter: Variable) -> bool:
    kind = source.expand(parameter.type)
    return not parameter.form and (source.is_integer(kind) or kind == "bool")


def _given(call: Node, place: int) -> str:
    """The text of that argument of a call."""
    given = call["arguments"].named_children
    return given[place].text if place < len(given) else ""


def _memoised(source: CppSource, function: Function, keys: list[str]) -> Site:
    computed = source.fresh(f"{function.name}_computed")
    table = f"MemoTable<{function.return_type}, {len(keys)}>"
    key = ", ".join(f"static_cast<long long>({name})" for name in keys)
    result = f"{function.return_type} result = {computed}({_listed(function)});"
    # Where results also depend on what is not in the key, each call from outside starts anew.
    anew = any(p.form == "&" for p in function.parameters) or _reads_globals(source, function)
    return _wrapped(
        function,
        computed,
        f"static {table} known;",
        *(("static int depth = 0;", "if (depth == 0) known.clear();") if anew else ()),
        f"const {table}::Key key{{{key}}};",
        "if (auto found = known.find(key)) return *found;",
        *(("++depth;", result, "--depth;") if anew else (result,)),
        "return known.store(key, result);",
    )


def _wrapped(function: Function, computed: str, *lines: str) -> Site:
    """Rename a function, and put one of its name behind it with another body."""
    body = "".join(f"    {line}\n" for line in lines)
    return [
        before(function.node, f"{function.head};\n"),
        replace(function.named, computed),
        after(function.node, f"\n\n{function.head} {{\n{body}}}"),
    ]


def _listed(function: Function) -> str:
    return ", ".join(parameter.name for parameter in function.parameters)


def _depends_on_arguments(source: CppSource, function: Function) -> bool:
    """Say whether a function of its own name returns a number and does nothing else."""
    inside = ("class_specifier", "struct_specifier", "template_declaration")
    return (
        source.function(function.name) is not None
        and source.is_arithmetic(function.return_type)
        and not function.node.enclosing(*inside)
        and source.effects.pure(function)
    )


def _reads_globals(source: CppSource, function: Function) -> bool:
    """Say whether a function uses global variables that may change."""
    used = (source.resolve(node) for node in function.body.walk("identifier"))
    return any(v is not None and v.kind == "global" and not v.const for v in used)


@rewrite("Passes strings, containers and objects that are only read by reference.", weight=7.0)
def const_reference(source: CppSource) -> Iterator[Site]:
    """For functions and lambdas; earlier declarations of a function follow."""
    for function in source.functions:
        edits: list[Edit] = []
        for place, parameter in enumerate(function.parameters):
            if _only_read(source, parameter, function.body):
                edits += _by_reference(parameter)
                edits += _declared_by_reference(source, function, place)
        if edits:
            yield edits
    for parameter in source.variables:
        if parameter.kind == "parameter" and parameter.scope.type.startswith("lambda"):
            body = parameter.scope["body"]
            if body and _only_read(source, parameter, body):
                yield _by_reference(parameter)


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


@rewrite("Calls functions and lambdas directly instead of through std::function.", weight=5.0)
def function_to_template(source: CppSource) -> Iterator[Site]:
    """A std::function hides what is called, so that the compiler cannot insert it."""
    for variable in source.variables:
        container, inner = template(variable.type)
        value = variable.value
        if container != "function":
            continue
        if variable.kind == "parameter":
            if edits := _templated(source, variable):
                yield edits
        elif variable.kind == "local" and value.type == "lambda_expression" and variable.alone:
            uses = source.uses(variable)
            if not all(use.is_called for use in uses):
                continue
            if not any(value.contains(use) for use in uses):
                yield [replace(variable.type_node, "auto")]
            elif edits := _given_itself(variable, uses, inner[0].split("(")[0].strip()):
                yield edits


def _templated(source: CppSource, variable: Variable) -> list[Edit]:
    """Make the type of a parameter one of a template; nothing where that cannot be done."""
    function = variable.scope
    if function.type != "function_definition" or variable.form not in ("", "&"):
        return []
    declared = [one["declarator"].text for one in source.walk("function_declarator")]
    own = next(function.walk("function_declarator"), None)
    if own is None or declared.count(own["declarator"].text) > 1:
        return []
    if function.parent.type != "translation_unit":
        return []
    name = source.fresh("Callable")
    return [
        before(function, f"template <class {name}>\n"),
        replace(variable.type_node, name),
        *([] if variable.form else [before(variable.node, "&& ")]),
    ]


def _given_itself(variable: Variable, uses: list[Node], result: str) -> list[Edit]:
    """Give a recursive lambda itself as its first argument; nothing where it has none."""
    declarator = variable.value["declarator"]
    listed = declarator["parameters"]
    if not listed.named_children:
        return []
    edits = [
        replace(variable.type_node, "auto"),
        at_start(listed, f"auto&& {variable.name}, "),
        *(at_start(use.parent["arguments"], f"{variable.name}, ") for use in uses),
    ]
    if "->" not in declarator.text:
        edits.append(after(listed, f" -> {result}"))
    return edits


_TAKERS = frozenset({"push_back", "emplace_back", "insert", "push", "emplace", "push_front"})


@rewrite(
    "Moves a string or container into its last use instead of copying it.",
    weight=4.0,
    headers=("utility",),
)
def move_last_use(source: CppSource) -> Iterator[Site]:
    """For local values that nothing reads afterwards, judged by the order of the text."""
    for variable in source.variables:
        if variable.kind not in ("local", "parameter") or variable.form or variable.const:
            continue
        uses = source.uses(variable)
        if not uses or not source.is_costly_to_copy(variable.type):
            continue
        last = max(uses, key=lambda node: node.start_byte)
        if _is_copied(last) and _runs_once(last, variable):
            yield [replace(last, f"std::move({variable.name})")]


def _is_copied(use: Node) -> bool:
    """Say whether a use assigns a value or adds it to a container."""
    above, call = use.parent, use.parent.parent
    if above.type == "assignment_expression":
        return above["right"] is use
    if above.type != "argument_list" or call.type != "call_expression":
        return False
    _, dot, method = call["function"].text.rpartition(".")
    return bool(dot) and method in _TAKERS


def _runs_once(use: Node, variable: Variable) -> bool:
    """Say whether no loop (or lambda) comes back to the use with the same variable."""
    return not any(
        above.type in (*LOOPS, "lambda_expression")
        and variable.scope.contains(above)
        and above is not variable.scope
        and not above.contains(variable.node)
        for above in use.ancestors()
    )


@rewrite("Visits the elements of a container by reference instead of copying each.", weight=5.0)
def range_reference(source: CppSource) -> Iterator[Site]:
    """Only where the loop does not change its variable."""
    seen: set[Node] = set()
    for variable in source.variables:
        loop = variable.declaration
        if variable.kind != "range" or not loop["body"] or loop in seen:
            continue
        seen.add(loop)
        if variable.form not in ("", "[binding]"):
            continue
        if variable.type != "auto" and not source.is_costly_to_copy(variable.type):
            continue
        if not source.effects.writes_visited(loop, loop["body"]):
            yield _by_reference(variable)


@rewrite("Asks the compiler to unroll loops.", weight=2.5, max_single=0)
def unroll_pragma(source: CppSource) -> Iterator[Site]:
    """Exact: the compiler may only repeat loop bodies."""
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
    "Lets the compiler use the vector instructions AVX2 and the like.", weight=3.5, max_single=0
)
def target_pragma(source: CppSource) -> Iterator[Site]:
    """For x86 processors since 2013; others do not compile it."""
    yield from _pragma(source, 'target("avx2,bmi,bmi2,lzcnt,popcnt,fma")')


def _pragma(source: CppSource, option: str) -> Iterator[Site]:
    """Yield a pragma before everything else, unless the file has one of that kind."""
    if source.text.strip() and f"#pragma GCC {option.partition('(')[0]}" not in source.text:
        yield [Edit(0, 0, f"#pragma GCC {option}\n")]
