"""A C++ file for rewrites: its tree, its names, its loops, and its edits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from maxcode.generators.rewrites.cpp import names
from maxcode.generators.rewrites.cpp.names import (
    ARITHMETIC,
    INTEGERS,
    Function,
    Variable,
    plain,
    template,
)
from maxcode.generators.rewrites.cpp.tree import Edit, Node, apply_edits, fresh, parsed, with_crlf
from maxcode.generators.rewrites.support import all_codes

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", re.MULTILINE)
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
_OPERATORS = ("operator,", "operatornew", "operatordelete", "operator&")


class CppSource:
    """A parsed C++ file. Reading it never fails: unparsed code is left alone.

    Declarations added by rewrites are not shown, so no rewrite changes them. ``whole``: the file is
    all of its program. ``data`` is its text in UTF-8, for the byte offsets of nodes, ``root`` the
    translation unit, and ``broken``: some code did not parse.
    """

    def __init__(self, text: str, *, whole: bool = True) -> None:
        self.text, self.whole = text, whole
        self.data = text.encode("utf-8", "surrogatepass")
        hidden = [place for code in all_codes() if (place := self.find(code))]
        self.root, self.broken = parsed(self.data, hidden)

    def find(self, code: str) -> tuple[int, int] | None:
        """Return where a piece of code begins and ends, with either kind of line ends."""
        for form in (code, with_crlf(code)):
            data = form.encode()
            start = self.data.find(data)
            if start >= 0:
                return start, start + len(data)
        return None

    def walk(self, *types: str) -> Iterator[Node]:
        """Yield the nodes of these types (all where none is given) in source order."""
        return self.root.walk(*types)

    @cached_property
    def understood(self) -> bool:
        """Whether the file is a whole program in which each name has its usual meaning.

        It has no other file, no macro but for numbers and their types, no conditional code, no
        jumps, threads, other processes or locales, and parses without a gap.
        """
        pragmas = r"#\s*pragma\s+(once|GCC\s+(optimize|target))\b"
        storage = self.walk("storage_class_specifier", "type_qualifier")
        return (
            self.whole
            and not self.broken
            and all(map(_is_plain_macro, self.walk("preproc_def")))
            and all(re.match(pragmas, node.text) for node in self.walk("preproc_call"))
            and {n["path"].text.strip("<>") for n in self.walk("preproc_include")} <= _HEADERS
            and not any(node.text in ("extern", "thread_local", "volatile") for node in storage)
            and "std" not in self.declared
            and not self.root.has(*_OBSCURE_NODES)
            and not self.mentions(*_OBSCURE_WORDS)
            and not any(n.squeezed in _OPERATORS for n in self.walk("operator_name"))
        )

    @cached_property
    def declared(self) -> frozenset[str]:
        """Every declared name of the file."""
        found = {variable.name for variable in self.variables}
        found |= {node["name"].text for node in self.walk(*_NAMING)}
        kinds = ("function_declarator", "type_definition", "type_parameter_declaration")
        for node in self.walk(*kinds):
            named = node if node.type.endswith("parameter_declaration") else node["declarator"]
            leaves = named.walk("identifier", "field_identifier", "type_identifier")
            found |= {leaf.text for leaf in leaves}
        return frozenset(found)

    def standard(self, *names: str) -> bool:
        """Say whether the program is understood and these names mean the standard library's."""
        return self.understood and self.declared.isdisjoint(names)

    @cached_property
    def variables(self) -> Sequence[Variable]:
        """Every declared variable of the file, in source order."""
        return tuple(names.variables(self))

    @cached_property
    def functions(self) -> Sequence[Function]:
        """Every function defined in the file, in source order."""
        return tuple(names.functions(self, self.variables))

    def uses(self, variable: Variable) -> list[Node]:
        """Return the identifiers that name a variable, its declaration left out."""
        named = (n for n in self.walk("identifier", "type_identifier") if n.text == variable.name)
        return [n for n in named if n is not variable.node and self._variable_of(n) is variable]

    def resolve(self, node: Node) -> Variable | None:
        """Return the variable of an expression, None for other expressions."""
        return self._variable_of(node) if node.type == "identifier" else None

    def _variable_of(self, name: Node) -> Variable | None:
        """The innermost variable of that name that is declared before, or a member."""
        visible = [
            variable
            for variable in self.variables
            if variable.name == name.text
            and variable.scope.contains(name)
            and (variable.node.start_byte <= name.start_byte or variable.kind == "member")
        ]
        return min(
            visible,
            key=lambda v: (v.scope.end_byte - v.scope.start_byte, -v.node.start_byte),
            default=None,
        )

    def function(self, name: str) -> Function | None:
        """Return the only function of that name, None for none or several."""
        found = [function for function in self.functions if function.name == name]
        return found[0] if len(found) == 1 else None

    def mentions(self, *words: str) -> bool:
        """Say whether any of these identifiers occurs in the code (or in a macro's body)."""
        return not self._words.isdisjoint(words)

    @cached_property
    def _words(self) -> frozenset[str]:
        words: set[str] = set()
        for node in self.walk(
            "identifier", "type_identifier", "field_identifier", "namespace_identifier",
            "preproc_arg",
        ):  # fmt: skip
            words.update(re.findall(r"\w+", node.text))
        return frozenset(words)

    @cached_property
    def _aliases(self) -> dict[str, str]:
        aliases = {}
        for node in self.walk("alias_declaration", "type_definition", "preproc_def"):
            name = node["declarator" if node.type == "type_definition" else "name"]
            target = node["value" if node.type == "preproc_def" else "type"]
            aliases[name.text.strip()] = plain(target.text)
        return aliases

    def expand(self, type_text: str) -> str:
        """Return a type without `std::` and qualifiers, with the file's own aliases resolved."""
        text = plain(type_text)
        for _ in range(4):  # aliases of aliases; `#define int long long` must not loop
            expanded = re.sub(r"\w+", lambda m: self._aliases.get(m[0], m[0]), text)
            if expanded == text or len(expanded) > 500:
                break
            text = expanded
            if text in ARITHMETIC:
                break
        return plain(text)

    def is_integer(self, type_text: str) -> bool:
        """Say whether a type is an integer type."""
        return self.expand(type_text) in INTEGERS

    def is_arithmetic(self, type_text: str) -> bool:
        """Say whether a type is a number, a character or bool."""
        return self.expand(type_text) in ARITHMETIC

    def templates(self, *names: str) -> Iterator[tuple[str, list[str]]]:
        """Yield the types made of these standard templates, and their arguments."""
        if self.standard(*names, "string"):
            nodes = self.walk("template_type", "template_function")
            for text in dict.fromkeys(self.expand(node.text) for node in nodes):
                name, inner = template(text)
                if name in names:
                    yield text, inner

    def rename(self, node: Node, name: str) -> Edit:
        """Give a template type another name and leave its arguments, dropping `std::`."""
        qualified = re.search(rb"\bstd\s*::\s*$", self.data[: node.start_byte])
        start = node.start_byte if qualified is None else qualified.start()
        return Edit(start, (node["name"] or node).end_byte, name)

    def fresh(self, stem: str) -> str:
        """Return a name with the prefix `stem` and no occurrence in the file."""
        return fresh(self.text, stem)

    def edited(
        self, edits: Iterable[Edit], *, headers: Iterable[str] = (), support: Iterable[str] = ()
    ) -> str:
        """Return the text with all edits made.

        ``headers`` are standard headers for the new code, ``support`` its C++ declarations, in this
        order; those already in the file are not repeated.
        """
        top, edits = self._top(), list(edits)
        new = [code for code in support if self.find(code) is None]
        first = top if new else min((edit.start for edit in edits), default=top)
        above = self.data[: max(first, top)].decode("utf-8", "surrogatepass")
        known = set(_INCLUDE.findall(above))
        missing = [name for name in headers if not known & {name, "bits/stdc++.h"}]
        added = [Edit(top, top, f"\n#include <{name}>") for name in missing]
        place = top
        for code in support:
            found = self.find(code)
            if found is None:
                added.append(Edit(place, place, f"\n\n{code}\n"))
            else:
                place = max(place, found[1])
        if added and top == 0:
            added.append(Edit(top, top, "\n"))
        return apply_edits(self.data, [*added, *edits])

    def _top(self) -> int:
        """Return the byte offset at the end of the last of the leading includes, 0 for none."""
        offset = 0
        for child in self.root.children:
            if child.type == "preproc_include":
                offset = len(self.data[: child.end_byte].rstrip())
            elif child.type not in ("comment", "preproc_call", "preproc_def", "using_declaration"):
                break
        return offset


def _is_plain_macro(node: Node) -> bool:
    """Say whether a macro stands for a number, or under a new name for a type of numbers."""
    name, value = node["name"].text, node["value"].text
    number = re.fullmatch(r"[-+*/%()<\w.'\s]*", value) and not re.search(
        r"(?<![\w.'])[A-Za-z_]", value
    )
    keyword = any(name in text.split() for text in ARITHMETIC)
    return bool(number and name.upper() == name) or (plain(value) in ARITHMETIC and not keyword)
