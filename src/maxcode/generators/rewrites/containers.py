"""Rewrites to other containers: a table, a hash table."""

from __future__ import annotations

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Node, Variable, after, replace
from maxcode.generators.rewrites.support import load

_LOOKED_UP = (
    "Keys are only looked up, counted, added and erased, or visited in order with nothing changed; "
    "the container in its place has no other operations, so other uses do not build."
)
_TABLE = load("dense_table")
_WHOLE, _KEYED = ("size", "empty", "clear"), ("insert", "count", "erase")
_LOOP = "for_range_loop"


@rewrite(
    "Keeps a map from integers to numbers in a table indexed by the key, where keys are small.",
    weight=8.0,
    requires=_LOOKED_UP,
    support=(_TABLE,),
)
def dense_map(source: CppSource) -> Iterator[Site]:
    """Keys below 0, and large ones, lie in a tree beside the table."""
    for text, inner in source.templates("map", "unordered_map"):
        if len(inner) == 2 and source.is_integer(inner[0]) and source.is_arithmetic(inner[1]):
            yield from _replaced(source, text, "DenseMap")


@rewrite(
    "Keeps a set of integers as a table with a flag for each small one.",
    weight=8.0,
    requires=_LOOKED_UP,
    support=(_TABLE,),
)
def dense_set(source: CppSource) -> Iterator[Site]:
    """Members below 0, and large ones, lie in a tree beside the table."""
    for text, inner in source.templates("set", "unordered_set"):
        if len(inner) == 1 and source.is_integer(inner[0]):
            yield from _replaced(source, text, "DenseSet")


@rewrite(
    "Looks keys up in a hash table instead of a balanced tree.",
    weight=7.0,
    requires=_LOOKED_UP,
    support=(load("hash_table"),),
)
def hashed_containers(source: CppSource) -> Iterator[Site]:
    """Where the entries are visited in order, a tree is made of them for that once."""
    for text, (key, *value) in source.templates("map", "set"):
        is_map = text.startswith("map")
        known = source.is_integer(key) or key == "string"
        simple = all(source.is_arithmetic(one) or one == "string" for one in value)
        if len(value) == is_map and known and simple:  # the order of destructors does not show
            yield from _replaced(source, text, "HashMap" if is_map else "HashSet")


def _replaced(source: CppSource, text: str, table: str) -> Iterator[Site]:
    """The edits that give a type of containers another name; none where that would not build."""
    named = [
        node
        for node in source.walk("template_type", "template_function", "type_identifier")
        if source.expand(node.text) == text
    ]
    held = [one for one in source.variables if source.expand(one.type) == text]
    if table in source.declared or not (all(map(_is_followed, named)) and all(map(_is_own, held))):
        return
    edits = [source.rename(node, table) for node in named if node.type == "template_type"]
    for variable in held:
        for use in source.uses(variable):
            found = _use(source, variable, use)
            if found is None or (text.startswith("unordered_") and use.parent.type == _LOOP):
                return
            edits += found
    yield edits


def _is_followed(node: Node) -> bool:
    """Say whether a type is that of a variable or a result, or has an alias.

    As a part of other types there may be many, and tables take memory.
    """
    top = node.parent if node.parent.type == "qualified_identifier" else node
    above = top.parent
    if above.type == "type_descriptor":
        return above.parent.type == "alias_declaration"
    if above.type in ("alias_declaration", "type_definition"):
        return True
    named = ("declaration", "parameter_declaration", "function_definition")
    returned = above["declarator"].type if above.type == "function_definition" else ""
    return top.field == "type" and above.type in named and "reference" not in returned


def _is_own(variable: Variable) -> bool:
    """Say whether a variable is no alias, and begins empty or as another container."""
    form = "&" if variable.kind == "parameter" else ""
    value = variable.value.type in ("", "identifier", "call_expression")
    return variable.kind != "member" and variable.form in ("", form) and value


def _use(source: CppSource, variable: Variable, use: Node) -> list[Edit] | None:
    """The edits of a use of a container; None for one that does not build, or makes an alias."""
    above = use.parent
    method, call, given = use.method_call
    if method in ("find", "end"):
        return _search(use, method, call)
    if method:
        known = method in _KEYED if given else method in _WHOLE
        entry = method == "insert" and call.parent["field"].text == "first"
        return [] if known and len(given) < 2 and not entry else None
    match above.type:
        case "for_range_loop":
            return [after(use, ".ordered()")] if _only_visits(source, variable, above) else None
        case "argument_list":
            function = source.function(above.parent["function"].text)
            place = above.parts.index(use)
            taken = function.parameters[place : place + 1] if function else ()
            fits = any(source.expand(one.type) == source.expand(variable.type) for one in taken)
        case "assignment_expression":
            fits = above.parent.type == "expression_statement"
        case "init_declarator":
            fits = above["declarator"].type == "identifier"
        case "return_statement":
            fits = not variable.form
        case _:
            fits = above.type == "subscript_expression" and above["argument"] is use
    return [] if fits else None


def _search(use: Node, method: str, call: Node) -> list[Edit] | None:
    """`m.find(k) == m.end()` as `m.count(k) == 0`, in two parts; None for another search."""
    test = call.parent
    if test.type != "binary_expression" or test.operator not in ("==", "!="):
        return None
    other = test["left"] if test["right"] is call else test["right"]
    search, end = (call, other) if method == "find" else (other, call)
    if search["function"].text != f"{use.text}.find" or end.text != f"{use.text}.end()":
        return None
    if method == "end":
        return [replace(end, "0")]
    return [replace(search["function"]["field"], "count")]


def _only_visits(source: CppSource, container: Variable, loop: Node) -> bool:
    """Say whether the body of a loop changes neither the container nor what it visits.

    Loops around it would sort the entries again and again.
    """
    body, visited = loop["body"], [v for v in source.variables if v.declaration is loop]
    called = body.has("call_expression") and source.root.has("lambda_expression")
    return (
        container.is_own
        and not called
        and all(v.const or "&" not in v.form for v in visited)
        and not any(body.contains(use) for use in source.uses(container))
        and not body.has("pointer_expression", "lambda_expression")
        and not source.mentions("string_view", "span", "ref", "cref", "reference_wrapper")
        and not loop.enclosing("for_statement", "for_range_loop", "while_statement", "do_statement")
    )
