"""One C++ file as rewrites see it: its tree, its names, and how to edit it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from maxcode.generators.rewrites.cpp.effects import Effects
from maxcode.generators.rewrites.cpp.names import (
    ARITHMETIC,
    FLOATS,
    INTEGERS,
    Function,
    Names,
    Variable,
    plain,
    template,
)
from maxcode.generators.rewrites.cpp.tree import (
    Edit,
    SyntaxTree,
    after,
    apply_edits,
    arguments,
    before,
    contains,
    statements,
    with_crlf,
)
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


def declare_before(source: CppSource, statement: Node, declaration: str) -> list[Edit]:
    """Place a declaration before a statement, in braces of its own where it needs them."""
    indent = source.indent(statement)
    block = source.parent(statement)
    if block is not None and block.type == "compound_statement":
        return [before(statement, f"{declaration}\n{indent}")]
    return [before(statement, f"{{ {declaration}\n{indent}"), after(statement, " }")]


@dataclass(frozen=True)
class CountedLoop:
    """`for (int i = start; i < bound; ++i) body`, with < or <=.

    * `node`: the whole loop
    * `header`: its text up to the body
    * `variable`: the name of the counter
    * `start`: the text of its first value
    * `limit`: the text of the first value that it does not take
    * `body`: the statement repeated
    """

    node: Node
    header: str
    variable: str
    start: str
    limit: str
    body: Node

    @property
    def statements(self) -> list[Node]:
        """The statements of the body."""
        return statements(self.body)


def counted(source: CppSource, node: Node | None) -> CountedLoop | None:
    """Take a loop apart; None unless it has one counter and counts up by one."""
    if node is None or node.type != "for_statement":
        return None
    first, test, step, body = (
        node.child_by_field_name(name) for name in ("initializer", "condition", "update", "body")
    )
    if first is None or test is None or step is None or body is None:
        return None
    found = re.fullmatch(r"[\w\s:]*?(\w+)\s*=\s*([^,;]+);?", source.of(first))
    if found is None:
        return None
    name, start = found[1], found[2].strip()
    if source.of(step).replace(" ", "") not in (f"{name}++", f"++{name}", f"{name}+=1"):
        return None
    left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
    operator = source.of(test.child_by_field_name("operator"))
    if source.of(left) != name or right is None or operator not in ("<", "<="):
        return None
    limit = source.of(right) if operator == "<" else f"{source.of(right)} + 1"
    header = source.data[node.start_byte : body.start_byte].decode().rstrip()
    return CountedLoop(node, header, name, start, limit, body)


def names_in(text: str, name: str) -> bool:
    """Say whether `text` mentions an identifier."""
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def row_jumps(source: CppSource, body: Node, counter: str) -> int:
    """Count the accesses in which stepping `counter` moves to another row."""
    jumps = 0
    for access in source.walk("subscript_expression", within=body):
        above = source.parent(access)
        if above is not None and above.type == "subscript_expression":
            argument = above.child_by_field_name("argument")
            if argument is not None and argument.id == access.id:
                continue  # counted as part of the longer expression
        *rows, last = _indices(source, access)
        in_rows = any(names_in(row, counter) for row in rows)
        strided = re.search(
            rf"\b{counter}\b\s*\*|\*\s*{counter}\b|\(\s*{counter}\b[^()]*\)\s*\*", last
        )
        if (in_rows and not names_in(last, counter)) or strided:
            jumps += 1
    return jumps


def _indices(source: CppSource, access: Node) -> list[str]:
    indices: list[str] = []
    current: Node | None = access
    while current is not None and current.type == "subscript_expression":
        indices.insert(0, source.of(current.child_by_field_name("indices"))[1:-1])
        current = current.child_by_field_name("argument")
    return indices


def leaves_early(source: CppSource, body: Node) -> bool:
    """Say whether a body holds a jump that ties it to its loop."""
    jumps = ("break_statement", "continue_statement", "return_statement", "goto_statement")
    return any(True for _ in source.walk(*jumps, within=body))


def container_types(source: CppSource, *names: str) -> dict[str, list[Node]]:
    """Return, for each type such as `map<int,int>` (aliases resolved), the nodes naming it."""
    found: defaultdict[str, list[Node]] = defaultdict(list)
    for node in source.walk("template_type", "template_function"):
        text = source.expand(source.of(node))
        parts = template(text)
        if parts is not None and parts[0] in names:
            found[text].append(node)
    return dict(found)


def rename(source: CppSource, node: Node, name: str) -> Edit:
    """Give a template type another name and leave its arguments, dropping `std::`."""
    qualified = re.search(rb"\bstd\s*::\s*$", source.data[: node.start_byte])
    start = node.start_byte if qualified is None else qualified.start()
    named = node.child_by_field_name("name") or node
    return Edit(start, named.end_byte, name)


_OWNERS = frozenset(
    {
        "vector", "map", "set", "unordered_map", "unordered_set", "deque", "list", "multiset",
        "multimap", "queue", "stack", "priority_queue", "array", "pair", "tuple", "function",
        "shared_ptr", "DenseMap", "DenseSet", "FlatGrid", "basic_string", "bitset",
    }
)  # fmt: skip


def costly_to_copy(source: CppSource, type_text: str) -> bool:
    """Say whether a type is a string, a container or a class defined in the file."""
    text = source.expand(type_text)
    parts = template(text)
    if parts is not None:
        return parts[0] in _OWNERS
    if text == "string":
        return True
    return any(
        source.of(node.child_by_field_name("name")) == text
        and node.child_by_field_name("body") is not None
        for node in source.walk("struct_specifier", "class_specifier")
    )


C_INPUT = ("scanf", "getchar", "getchar_unlocked", "fgets", "gets", "fread", "stdin", "read")
C_OUTPUT = ("printf", "puts", "putchar", "putchar_unlocked", "fputs", "fwrite", "fputc", "stdout")


def uses_of_stream(source: CppSource, name: str) -> list[Node] | None:
    """Return the expressions `cin` or `std::cin`, None where a macro's body mentions the name."""
    if any(name in source.of(macro) for macro in source.walk("preproc_arg")):
        return None
    found = []
    for identifier in source.walk("identifier"):
        if source.of(identifier) != name or source.names.resolve(identifier) is not None:
            continue
        node, above = identifier, source.parent(identifier)
        if above is not None and above.type == "qualified_identifier":
            node, above = above, source.parent(above)
        if above is not None and above.type != "using_declaration":
            found.append(node)
    return found


def chain_top(source: CppSource, stream: Node, operator: str) -> Node | None:
    """Return the whole of `stream << a << b`, None where the stream begins no such chain."""
    top: Node | None = None
    current = stream
    for above in source.ancestors(stream):
        left = above.child_by_field_name("left")
        found = source.of(above.child_by_field_name("operator"))
        if above.type != "binary_expression" or left is None or left.id != current.id:
            break
        if found != operator:
            break
        top = current = above
    return top


def operands(source: CppSource, chain: Node, operator: str) -> Iterator[Node]:
    """Yield what is read or written by a chain, last first."""
    current: Node | None = chain
    while (
        current is not None
        and current.type == "binary_expression"
        and source.of(current.child_by_field_name("operator")) == operator
    ):
        right = current.child_by_field_name("right")
        if right is not None:
            yield right
        current = current.child_by_field_name("left")


def leftmost(chain: Node) -> Node:
    """Return the first operand of nested binary expressions."""
    while chain.type == "binary_expression":
        left = chain.child_by_field_name("left")
        if left is None:
            return chain
        chain = left
    return chain


def reads_tokens(source: CppSource, stream: Node) -> bool:
    """Say whether a use of an input stream can be served by the support code's TokenReader."""
    chain = chain_top(source, stream, ">>")
    if chain is not None:
        return all(_readable(source, operand) for operand in operands(source, chain, ">>"))
    above = source.parent(stream)
    if above is None:
        return False
    if above.type == "field_expression":
        return source.of(above.child_by_field_name("field")) in (
            "eof", "fail", "good", "ignore", "clear",
        )  # fmt: skip
    if above.type == "argument_list":
        call = source.parent(above)
        return call is not None and call.type == "call_expression" and _is_getline(source, call)
    return above.type in ("condition_clause", "unary_expression")


def _is_getline(source: CppSource, call: Node) -> bool:
    return source.callee(call) == "getline"


def _readable(source: CppSource, operand: Node) -> bool:
    if source.of(operand) in ("ws", "std::ws", "hex", "std::hex"):
        return False
    variable = source.names.resolve(operand) if operand.type == "identifier" else None
    return variable is None or not (variable.form and source.expand(variable.type) == "char")


def main_body(source: CppSource) -> Node | None:
    """Return the body of main."""
    main = source.function("main")
    return None if main is None or not contains(source.root, main.body) else main.body
