"""Whether a C++ file is an ordinary program, in which names mean what they seem to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maxcode.generators.rewrites.cpp.names import ARITHMETIC, plain
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
    "gnu_asm_expression", "co_await_expression", "union_specifier",
)  # fmt: skip
_OBSCURE_WORDS = (
    "thread", "jthread", "async", "pthread_create", "fork", "vfork", "setjmp", "longjmp", "signal",
    "sigaction", "system", "popen", "freopen", "rdbuf", "dup2", "execv", "execl", "execvp",
    "locale", "setlocale", "imbue", "wcin", "wcout", "const_cast", "reinterpret_cast", "typeid",
    "__LINE__", "__builtin_LINE", "source_location", "__COUNTER__", "__func__", "__FUNCTION__",
    "__PRETTY_FUNCTION__", "alloca",
)  # fmt: skip
_NAMING = (
    "struct_specifier", "class_specifier", "union_specifier", "enum_specifier", "enumerator",
    "alias_declaration", "namespace_definition", "namespace_alias_definition",
    "concept_definition", "preproc_def",
)  # fmt: skip


def declared(source: CppSource) -> frozenset[str]:
    """Return every name declared in the file."""
    names = {variable.name for variable in source.variables}
    names |= {node["name"].text for node in source.walk(*_NAMING)}
    for node in source.walk("function_declarator", "type_definition", "type_parameter_declaration"):
        named = node if node.type.endswith("parameter_declaration") else node["declarator"]
        leaves = named.walk("identifier", "field_identifier", "type_identifier")
        names |= {leaf.text for leaf in leaves}
    return frozenset(names)


def understood(source: CppSource) -> bool:
    """Say whether the file is a whole program in which each name has its usual meaning.

    It has no other file, no macro but for numbers and their types, no conditional code, no jumps,
    threads, other processes or locales, and parses without a gap.
    """
    pragmas = r"#\s*pragma\s+(once|GCC\s+(optimize|target))\b"
    storage = source.walk("storage_class_specifier", "type_qualifier")
    return (
        source.whole
        and not source.broken
        and all(map(_is_plain_macro, source.walk("preproc_def")))
        and all(re.match(pragmas, node.text) for node in source.walk("preproc_call"))
        and {n["path"].text.strip("<>") for n in source.walk("preproc_include")} <= _HEADERS
        and not any(node.text in ("extern", "thread_local", "volatile") for node in storage)
        and "std" not in source.declared
        and not source.root.has(*_OBSCURE_NODES)
        and not source.mentions(*_OBSCURE_WORDS)
        and not any(n.squeezed in _OPERATORS for n in source.walk("operator_name"))
    )


_OPERATORS = ("operator,", "operatornew", "operatordelete", "operator&")


def _is_plain_macro(node: Node) -> bool:
    """Say whether a macro stands for a number, or under a new name for a type of numbers."""
    name, value = node["name"].text, node["value"].text
    number = re.fullmatch(r"[-+*/%()<\w.'\s]*", value) and not re.search(
        r"(?<![\w.'])[A-Za-z_]", value
    )
    keyword = any(name in text.split() for text in ARITHMETIC)
    return bool(number and name.upper() == name) or (plain(value) in ARITHMETIC and not keyword)
