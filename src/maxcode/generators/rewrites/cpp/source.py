"""One C++ file as rewrites see it: its tree, its names, and how to edit it."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from tree_sitter import Node

from maxcode.generators.rewrites.cpp.edits import Edit, apply_edits
from maxcode.generators.rewrites.cpp.effects import Effects
from maxcode.generators.rewrites.cpp.names import Function, Names, Variable
from maxcode.generators.rewrites.cpp.tree import SyntaxTree, arguments, with_crlf
from maxcode.generators.rewrites.cpp.types import ARITHMETIC, FLOATS, INTEGERS, plain
from maxcode.generators.rewrites.support import all_codes

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", re.MULTILINE)


class CppSource(SyntaxTree):
    """A parsed C++ file. Reading it never fails: what does not parse is left alone.

    Declarations that rewrites have added are not shown, so that no rewrite changes them.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, hidden=all_codes())

    @cached_property
    def names(self) -> Names:
        """The declarations of the file."""
        return Names(self)

    @cached_property
    def effects(self) -> Effects:
        """What code in the file may change."""
        return Effects(self, self.names)

    @property
    def variables(self) -> Sequence[Variable]:
        """Every variable that the file declares, in source order."""
        return self.names.variables

    @property
    def functions(self) -> Sequence[Function]:
        """Every function that the file defines, in source order."""
        return self.names.functions

    def uses(self, variable: Variable) -> list[Node]:
        """Return the identifiers that name a variable, its declaration left out."""
        return self.names.uses(variable)

    def function(self, name: str) -> Function | None:
        """Return the only function of that name, None where there is none or several."""
        found = [function for function in self.functions if function.name == name]
        return found[0] if len(found) == 1 else None

    def mentions(self, *words: str) -> bool:
        """Say whether any of these identifiers occurs in the code (or in a macro's body)."""
        return not self._words.isdisjoint(words)

    @cached_property
    def _words(self) -> frozenset[str]:
        words = set()
        for node in self.walk(
            "identifier",
            "type_identifier",
            "field_identifier",
            "namespace_identifier",
            "preproc_arg",
        ):
            words.update(re.findall(r"\w+", self.of(node)))
        return frozenset(words)

    @cached_property
    def headers(self) -> frozenset[str]:
        """The headers included with angle brackets."""
        return frozenset(_INCLUDE.findall(self.text))

    @cached_property
    def _aliases(self) -> dict[str, str]:
        aliases = {}
        for node in self.walk("alias_declaration", "type_definition", "preproc_def"):
            if node.type == "alias_declaration":
                name, target = node.child_by_field_name("name"), node.child_by_field_name("type")
            elif node.type == "type_definition":
                name = node.child_by_field_name("declarator")
                target = node.child_by_field_name("type")
            else:
                name, target = node.child_by_field_name("name"), node.child_by_field_name("value")
            aliases[self.of(name).strip()] = plain(self.of(target))
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

    def is_float(self, type_text: str) -> bool:
        """Say whether a type is a floating point type."""
        return self.expand(type_text) in FLOATS

    def is_arithmetic(self, type_text: str) -> bool:
        """Say whether a type is a number, a character or bool."""
        return self.expand(type_text) in ARITHMETIC

    def method_call(self, use: Node) -> tuple[str, Node, list[Node]] | None:
        """For `v.push_back(x)` and the use of v: the method, the call and its arguments."""
        access = self.parent(use)
        call = None if access is None else self.parent(access)
        if access is None or call is None or access.type != "field_expression":
            return None
        argument = access.child_by_field_name("argument")
        callee = call.child_by_field_name("function")
        if argument is None or argument.id != use.id:
            return None
        if call.type != "call_expression" or callee is None or callee.id != access.id:
            return None
        return self.of(access.child_by_field_name("field")), call, arguments(call)

    def subscript(self, use: Node) -> tuple[Node, Node] | None:
        """For `v[i]` and the use of v: the whole expression and the index."""
        access = self.parent(use)
        if access is None or access.type != "subscript_expression":
            return None
        argument = access.child_by_field_name("argument")
        indices = access.child_by_field_name("indices")
        if argument is None or argument.id != use.id or indices is None:
            return None
        inner = indices.named_children
        return (access, inner[0]) if len(inner) == 1 else None

    def callee(self, call: Node) -> str:
        """Return the name of the function called, without `std::`."""
        return self.of(call.child_by_field_name("function")).removeprefix("std::")

    def top(self) -> int:
        """Return the byte offset at the end of the last of the leading includes, 0 for none."""
        offset = 0
        for child in self.root.children:
            if child.type == "preproc_include":
                offset = len(self.data[: child.end_byte].rstrip())
            elif child.type not in ("comment", "preproc_call", "preproc_def", "using_declaration"):
                break
        return offset

    def fresh(self, stem: str) -> str:
        """Return a name that begins with `stem` and occurs nowhere in the file."""
        name, number = stem, 2
        while re.search(rf"\b{re.escape(name)}\b", self.text):
            name, number = f"{stem}_{number}", number + 1
        return name

    def edited(
        self, edits: Iterable[Edit], *, headers: Iterable[str] = (), support: Iterable[str] = ()
    ) -> str:
        """Return the text with all edits made.

        ``headers`` are standard headers that the new code needs, ``support`` C++ declarations that
        it needs, in this order; what the file has already is not repeated. Raises ValueError for
        edits that overlap.
        """
        top = self.top()
        missing = [name for name in headers if not self._includes(name)]
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
        every = [*added, *edits]
        if "\r\n" in self.text:
            every = [Edit(edit.start, edit.end, with_crlf(edit.text)) for edit in every]
        return apply_edits(self.data, every).decode("utf-8", "surrogatepass")

    def _includes(self, header: str) -> bool:
        return header in self.headers or "bits/stdc++.h" in self.headers
