"""Proofs about a whole program from its file: that it is understood, types, and where values go."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from maxcode.generators.rewrites.cpp.names import ARITHMETIC, Function, Variable, plain, template
from maxcode.generators.rewrites.cpp.tree import Node

if TYPE_CHECKING:
    from maxcode.generators.rewrites.cpp.source import CppSource

_HEADERS = frozenset(
    """
    algorithm array bit bitset cassert cctype cerrno cfloat charconv chrono cinttypes climits cmath
    complex cstddef cstdint cstdio cstdlib cstring ctime deque exception forward_list functional
    initializer_list iomanip ios iosfwd iostream istream iterator limits list map memory numbers
    numeric optional ostream queue random ratio set span sstream stack stdexcept string string_view
    tuple type_traits typeinfo unordered_map unordered_set utility valarray variant vector
    bits/stdc++.h assert.h ctype.h float.h limits.h math.h stddef.h stdint.h stdio.h stdlib.h
    string.h time.h
    """.split()  # noqa: SIM905 - a list of words
)
# Code that the syntax does not show, or that goes other ways than the text does.
_OBSCURE_NODES = (
    "ERROR", "preproc_if", "preproc_ifdef", "preproc_function_def", "goto_statement",
    "gnu_asm_expression", "lambda_capture_initializer", "co_await_expression", "union_specifier",
)  # fmt: skip
_OBSCURE_WORDS = (
    "thread", "jthread", "async", "pthread_create", "fork", "vfork", "setjmp", "longjmp", "signal",
    "sigaction", "system", "popen", "freopen", "rdbuf", "dup2", "execv", "execl", "execvp",
    "locale", "setlocale", "imbue", "wcin", "wcout", "const_cast", "reinterpret_cast", "typeid",
    "__LINE__", "__builtin_LINE", "source_location", "__COUNTER__", "__func__", "__FUNCTION__",
    "__PRETTY_FUNCTION__", "alloca",
)  # fmt: skip
_CLASSES = ("struct_specifier", "class_specifier", "union_specifier")
_NAMING = (
    "enum_specifier", "enumerator", "alias_declaration", "namespace_definition",
    "namespace_alias_definition", "concept_definition", "preproc_def",
)  # fmt: skip


def declared(source: CppSource) -> frozenset[str]:
    """Return every name declared in the file."""
    names = {variable.name for variable in source.variables}
    names |= {node["name"].text for node in source.walk(*_CLASSES) if node["body"]}
    names |= {node["name"].text for node in source.walk(*_NAMING)}
    for node in source.walk("function_declarator", "type_definition"):
        leaves = node["declarator"].walk("identifier", "field_identifier", "type_identifier")
        names |= {leaf.text for leaf in leaves}
    for node in source.walk("type_parameter_declaration", "optional_type_parameter_declaration"):
        names |= {leaf.text for leaf in node.walk("type_identifier")}
    return frozenset(names)


def understood(source: CppSource) -> bool:
    """Say whether the file is a whole program in which each name has its usual meaning.

    It has no other file, no macro but for numbers and their types, no conditional code, no jumps,
    threads, other processes or locales, and parses without a gap.
    """
    macros = all(map(_is_plain_macro, source.walk("preproc_def")))
    orders = all(
        re.match(r"#\s*pragma\s+(once|GCC\s+(optimize|target))\b", node.text)
        for node in source.walk("preproc_call")
    )
    included = {node["path"].text.strip("<>") for node in source.walk("preproc_include")}
    odd = any(
        node.text in ("extern", "thread_local", "volatile")
        for node in source.walk("storage_class_specifier", "type_qualifier")
    ) or any(node["name"].text == "std" for node in source.walk("namespace_definition"))
    return (
        source.whole
        and not source.broken
        and macros
        and orders
        and included <= _HEADERS
        and not odd
        and not source.root.has(*_OBSCURE_NODES)
        and not source.mentions(*_OBSCURE_WORDS)
        and operators(source).isdisjoint(
            ("operator,", "operatornew", "operatordelete", "operator&")
        )
        and _aliases_are_clear(source)
    )


def _is_plain_macro(node: Node) -> bool:
    """Say whether a macro stands for a number, or under a new name for a type of numbers."""
    name, value = node["name"].text, node["value"].text
    number = re.fullmatch(r"[-+*/%()<\w.'\s]*", value) and not re.search(
        r"(?<![\w.'])[A-Za-z_]", value
    )
    keyword = any(name in text.split() for text in ARITHMETIC)
    return bool(number and name.upper() == name) or (plain(value) in ARITHMETIC and not keyword)


def _aliases_are_clear(source: CppSource) -> bool:
    """Say whether each alias of a type is declared once, and nothing else has its name."""
    aliases = [node["name"].text for node in source.walk("alias_declaration")]
    aliases += [node["declarator"].text for node in source.walk("type_definition")]
    aliases += [node["name"].text for node in source.walk("preproc_def")]
    others = {variable.name for variable in source.variables}
    others |= {function.name for function in source.functions}
    others |= {node["name"].text for node in source.walk(*_CLASSES, "enum_specifier")}
    return max(Counter(aliases).values(), default=0) <= 1 and others.isdisjoint(aliases)


def operators(source: CppSource) -> frozenset[str]:
    """Return the operators defined in the file, such as `operator>>`, without white space."""
    return frozenset(node.squeezed for node in source.walk("operator_name", "operator_cast"))


def kind_of(source: CppSource, node: Node) -> str:
    """Return the type of a variable, an element or a member as its declaration has it, or ""."""
    if node.type == "parenthesized_expression":
        return kind_of(source, node.unwrapped)
    if node.type == "subscript_expression":
        return _element(source, node)
    if node.type == "field_expression" and "->" not in node.text:
        return _member(source, kind_of(source, node["argument"]), node["field"].text)
    variable = source.resolve(node)
    if variable is None or variable.form not in ("", "&"):
        return ""
    if variable.kind == "range" and variable.type == "auto":
        name, inner = template(kind_of(source, variable.declaration["right"]))
        return inner[0] if name in ("vector", "deque", "array") else ""
    return source.expand(variable.type)


def _element(source: CppSource, access: Node) -> str:
    depth, base = 0, access
    while base.type == "subscript_expression" and len(base["indices"].named_children) == 1:
        depth, base = depth + 1, base["argument"]
    variable = source.resolve(base)
    if variable is not None and set(variable.form) <= {"[", "]"} and variable.form:
        arrays = variable.form.count("[")
        kind, depth = source.expand(variable.type), depth - arrays
    else:
        kind = kind_of(source, base)
    for _ in range(max(depth, 0)):
        name, inner = template(kind)
        if name in ("vector", "deque", "array"):
            kind = inner[0]
        elif name in ("map", "unordered_map"):
            kind = inner[1]
        else:
            kind = "char" if kind == "string" else ""
    return kind if depth >= 0 else ""


def _member(source: CppSource, owner: str, name: str) -> str:
    container, inner = template(owner)
    if container == "pair" and name in ("first", "second"):
        return inner[name == "second"]
    found = [
        variable
        for variable in source.variables
        if variable.kind == "member" and variable.name == name and not variable.form
        and variable.scope.parent["name"].text == owner
    ]  # fmt: skip
    return source.expand(found[0].type) if owner and len(found) == 1 else ""


_HOLDS = ("string_view", "span", "ref", "cref", "reference_wrapper", "addressof")


def left_alone(source: CppSource, variable: Variable, loop: Node) -> bool:
    """Say whether the body of a loop over a container cannot change it, nor keep its elements."""
    body, home = loop["body"], source.changes.home(loop)
    changed = source.changes.of(body)
    if changed is None or home is None or source.mentions(*_HOLDS):
        return False  # what is visited may be kept
    own = source.changes.own([variable], home) or source.changes.own(changed, home)
    named = any(body.contains(use) for use in source.uses(variable))
    return own and variable not in changed and not named


class Holders:
    """The variables that hold a type of container, and the functions that take or return it.

    * `nodes`: where the file names the type
    * `closed`: whether values of it go to these variables and functions only
    """

    def __init__(self, source: CppSource, text: str) -> None:
        self._source, self._text = source, text
        self.nodes = [
            node
            for node in source.walk("template_type", "template_function", "type_identifier")
            if source.expand(node.text) == text
        ]
        self.variables = [v for v in source.variables if source.expand(v.type) == text]
        self._functions = {
            function.name: function
            for function in source.functions
            if source.expand(function.return_type) == text
            or any(parameter in self.variables for parameter in function.parameters)
        }
        self.closed = (
            source.understood
            and all(map(self._declares, self.nodes))
            and all(map(self._is_plain, self.variables))
            and all(map(self._is_known, self._functions.values()))
        )

    def all_uses(self, allowed: Callable[[Variable, Node], bool]) -> bool:
        """Say whether every use is allowed or hands the container from a holder to another."""
        return self.closed and all(
            self.hands_over(use) or allowed(variable, use)
            for variable in self.variables
            for use in self._source.uses(variable)
        )

    def _declares(self, node: Node) -> bool:
        top = node.parent if node.parent.type == "qualified_identifier" else node
        above = top.parent
        if above.type == "type_descriptor":
            return above.parent.type == "alias_declaration"
        if above.type in ("alias_declaration", "type_definition"):
            return True
        if top.field != "type":
            return False
        if above.type == "function_definition":
            return any(function.node is above for function in self._functions.values())
        if any(variable.type_node is top for variable in self.variables):
            return True
        declared = above if above.type == "declaration" else above.enclosing("declaration")
        name = declared["declarator"]["declarator"].text
        return declared["declarator"].type == "function_declarator" and name in self._functions

    def _is_plain(self, variable: Variable) -> bool:
        if variable.kind == "parameter":
            taken = any(variable in f.parameters for f in self._functions.values())
            return taken and variable.form in ("", "&") and not variable.value
        top = variable.scope.type == "translation_unit"
        placed = variable.kind == "local" or (variable.kind == "global" and top)
        return placed and not variable.form

    def _is_known(self, function: Function) -> bool:
        """Say whether a function is the only one of its name, free, and called and nothing else."""
        source = self._source
        if source.function(function.name) is not function:
            return False
        if function.node.parent is not source.root or function.return_type.endswith(("*", "&")):
            return False
        for node in source.walk("identifier"):
            if node.text != function.name or node.parent.type == "function_declarator":
                continue
            if not node.is_called or not self._is_fed(function, node.parent):
                return False
        return True

    def _is_fed(self, function: Function, call: Node) -> bool:
        """Say whether a call gives and takes the container as these functions do."""
        given = call.arguments
        if len(given) != len(function.parameters):
            return False
        returns = self._source.expand(function.return_type) == self._text
        return all(
            parameter not in self.variables or self.is_held(argument)
            for parameter, argument in zip(function.parameters, given, strict=True)
        ) and (not returns or self.hands_over(call))

    def is_held(self, node: Node) -> bool:
        """Say whether an expression is a container of this type."""
        if node.type == "call_expression":
            function = self._functions.get(node["function"].text)
            return function is not None and (
                self._source.expand(function.return_type) == self._text
            )
        return self._source.resolve(node) in self.variables

    def hands_over(self, node: Node) -> bool:
        """Say whether a container goes from an expression to a variable or function of its type."""
        above = node.parent
        if above.type == "init_declarator":
            declared = above["declarator"]
            return above["value"] is node and any(v.node is declared for v in self.variables)
        if above.type == "assignment_expression" and above.operator == "=":
            within = above.parent.type == "expression_statement"
            return within and self.is_held(above["left"]) and self.is_held(above["right"])
        if above.type == "return_statement":
            inside = node.enclosing("function_definition", "lambda_expression")
            return any(
                f.node is inside and self._source.expand(f.return_type) == self._text
                for f in self._functions.values()
            )
        if above.type == "argument_list" and above.parent.type == "call_expression":
            function = self._functions.get(above.parent["function"].text)
            if function is None:
                return False
            place = above.parts.index(node)
            parameters = function.parameters
            return place < len(parameters) and parameters[place] in self.variables
        return False


def recursive(source: CppSource, function: Function) -> bool:
    """Say whether a function may come to call itself."""
    called = {f.name: set[str]() for f in source.functions}
    for one in source.functions:
        words = one.body.walk("identifier", "field_identifier", "type_identifier")
        called[one.name].update(node.text for node in words)
    reached: set[str] = set()
    waiting = {function.name}
    while waiting:
        found = called[waiting.pop()] & called.keys()
        waiting |= found - reached
        reached |= found
    return function.name in reached


def holders(source: CppSource, *names: str) -> Iterator[tuple[str, Sequence[str], Holders]]:
    """Yield each type made of these templates: its name, its arguments and its holders."""
    if not source.standard(*names, "string"):
        return
    for text in source.types(*names):
        name, inner = template(text)
        yield name, inner, Holders(source, text)
