"""Leaves out unused additions of a program to its baseline: definitions and includes.

Code pasted by a rewrite serves any use; the rest here serves this program's. Use is decided by
names alone, so the result has to be built and tested: a needed overload keeps its whole set, and a
name that happens to occur elsewhere keeps its definition.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from maxcode.lang.syntax import (
    CONTAINERS,
    WORD,
    CppSyntax,
    PythonSyntax,
    cpp_root,
    declarator_name,
    declared,
    python_tree,
    split_lines,
    syntax_of,
    text_of,
    walk,
)
from maxcode.program import Program

if TYPE_CHECKING:
    from tree_sitter import Node


def without_unused(before: Program, after: Program, *, careful: bool = False) -> Program:
    """The program without definitions and includes added and not used.

    ``careful`` keeps names used by templates of the standard library alone, such as an iterator's
    ``value_type``.
    """
    program = after
    for path in before.changed(after):
        syntax = syntax_of(path)
        if path not in after.files or not isinstance(syntax, CppSyntax | PythonSyntax):
            continue
        elsewhere = frozenset(
            word
            for other, text in program.files.items()
            if other != path
            for word in WORD.findall(text)
        )
        elsewhere |= declared(before)  # a definition that was changed is no new one
        old, text = split_lines(before.files.get(path, "")), program.files[path]
        while True:  # what is left out may have been all that used an include, or a guard
            lines = split_lines(text)
            added = _added(old, lines)
            if isinstance(syntax, CppSyntax):
                unused = _unused_in_cpp(text, added, elsewhere, careful=careful)
                unused = unused or _guards(text, added) or _unused_includes(text, added)
            else:
                unused = _unused_in_python(text, added, elsewhere)
            if not unused:
                break
            text = _without(lines, unused, added)
        program = program.with_file(path, text)
    return program


def _added(old: Sequence[str], new: Sequence[str]) -> frozenset[int]:
    """The numbers of the new lines."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    spans = [(j1, j2) for tag, _, _, j1, j2 in matcher.get_opcodes() if tag != "equal"]
    return frozenset(line for first, last in spans for line in range(first, last))


def _without(lines: Sequence[str], unused: frozenset[int], added: frozenset[int]) -> str:
    """The used lines; of added empty lines never two in a row."""
    kept: list[str] = []
    gap = False  # whether lines were just left out
    for number, line in enumerate(lines):
        if number in unused:
            gap = True
            continue
        empty = not line.strip()
        opened = not kept or not kept[-1].strip() or kept[-1].rstrip().endswith(("{", "public:"))
        if not (gap and empty and number in added and opened):
            kept.append(line)
            gap = gap and empty
    return "".join(kept)


# -- C++ ------------------------------------------------------------------------------------------

_CLASSES = ("class_specifier", "struct_specifier", "union_specifier")
_DEFINITIONS = frozenset(
    {
        *("function_definition", "declaration", "field_declaration", "alias_declaration"),
        *("type_definition", "preproc_def", "preproc_function_def", "enum_specifier", *_CLASSES),
    }
)
_TRAITS = frozenset(
    {
        *("iterator_category", "value_type", "difference_type", "pointer", "reference"),
        *("key_type", "mapped_type", "size_type", "iterator", "const_iterator", "begin", "end"),
    }
)
_RANGE_FOR = ("begin", "end", "++", "!=", "*")  # what it uses without naming it


@dataclass(slots=True)
class _Definition:
    """An added definition; ``owner`` is the number of its class, if added, too."""

    node: Node
    names: frozenset[str]
    owner: int | None
    always: bool
    words: set[str] = field(default_factory=set)


def _unused_in_cpp(
    text: str, added: frozenset[int], elsewhere: frozenset[str], *, careful: bool
) -> frozenset[int]:
    """The lines of added definitions named nowhere."""
    root = cpp_root(text)
    found: list[_Definition] = []
    _collect(root, None, "", added, found)
    if not found:
        return frozenset()
    roots = set(elsewhere) | {"main"}
    by_node = {one.node.id: one for one in found}
    waiting: list[tuple[Node, set[str]]] = [(root, roots)]
    while waiting:
        node, words = waiting.pop()
        words = by_node[node.id].words if node.id in by_node else words
        if node.type == "for_range_loop":
            words.update(_RANGE_FOR)
        if node.type == "preproc_arg":
            words.update(WORD.findall(text_of(node)))
        if node.children:
            waiting += [(child, words) for child in node.children]
        elif node.type != "comment":
            words.add(text_of(node))
    used = _reached(found, roots, careful=careful)
    lines = split_lines(text)
    unused: set[int] = set()
    for number, one in enumerate(found):
        if number not in used and (one.owner is None or one.owner in used):
            unused |= _lines_of(one.node, lines, added)
    return frozenset(unused)


def _reached(found: Sequence[_Definition], roots: set[str], *, careful: bool) -> set[int]:
    """The numbers of the definitions named by the roots, be it through others."""
    words, used = set(roots), set[int]()
    while True:
        more = {
            number
            for number, one in enumerate(found)
            if number not in used
            and (one.owner is None or one.owner in used)
            and (one.always or one.names & words or (careful and one.names & _TRAITS))
        }
        if not more:
            return used
        used |= more
        words = words.union(*(found[number].words for number in more))


def _collect(
    container: Node, owner: int | None, title: str, added: frozenset[int], found: list[_Definition]
) -> None:
    """Find the definitions of a container; ``title`` is the name of the class it belongs to."""
    for child in container.named_children:
        if child.type in CONTAINERS - {"compound_statement"}:
            _collect(child, owner, title, added, found)
            continue
        if child.type == "namespace_definition" and (body := child.child_by_field_name("body")):
            _collect(body, owner, title, added, found)
            continue
        inner = child
        while inner.type == "template_declaration" and inner.named_children:
            inner = inner.named_children[-1]
        if inner.type not in _DEFINITIONS:
            continue
        body_of = _class_in(inner)
        names = frozenset(_names(inner))
        mine = owner
        rows = range(child.start_point[0], child.end_point[0] + 1)
        if names and added.issuperset(rows):
            special = title in names or any(name.startswith("~") for name in names)
            found.append(_Definition(child, names, owner, special or _called_by_others(inner)))
            mine = len(found) - 1
        if body_of and (body := body_of.child_by_field_name("body")):
            name = body_of.child_by_field_name("name")
            _collect(body, mine, text_of(name) if name else "", added, found)


def _class_in(node: Node) -> Node | None:
    if node.type in _CLASSES:
        return node
    kind = node.child_by_field_name("type")
    return kind if kind is not None and kind.type in _CLASSES else None


def _names(node: Node) -> Iterator[str]:
    kind = _class_in(node) or (node if node.type == "enum_specifier" else None)
    if kind and kind.child_by_field_name("body") and (name := kind.child_by_field_name("name")):
        yield text_of(name)
    if node.type.startswith(("alias", "preproc")) and (name := node.child_by_field_name("name")):
        yield text_of(name)
    for declarator in node.children_by_field_name("declarator"):
        if name := declarator_name(declarator):
            text = text_of(name)
            symbol = text.removeprefix("operator").strip()
            yield (
                symbol[0]
                if name.type == "operator_name" and symbol[0] in "(["
                else (symbol if name.type == "operator_name" else text)
            )


def _called_by_others(node: Node) -> bool:
    """Whether a function is called without being named: a conversion, or an override."""
    if node.type not in ("function_definition", "field_declaration"):
        return False
    head = [c for c in node.children if c.type not in ("compound_statement", "field_initializer")]
    kinds = {one.type for part in head for one in walk(part)}
    return bool(kinds & {"operator_cast", "virtual_specifier", "virtual"})


def _lines_of(node: Node, lines: Sequence[str], added: frozenset[int]) -> set[int]:
    """The lines of a definition with the comment above it; none if other code shares them."""
    first, last = node.start_point[0], node.end_point[0]
    if node.end_point[1] == 0 and last > first:
        last -= 1  # a directive ends with its line
    head = lines[first].encode()[: node.start_point[1]].decode(errors="replace")
    foot = lines[last].encode()[node.end_point[1] :].decode(errors="replace")
    foot = foot if node.end_point[0] == last else ""
    if head.strip() or foot.partition("//")[0].strip(" \t\r\n;"):
        return set()
    above = node.prev_named_sibling
    while above is not None and above.type == "comment" and above.end_point[0] == first - 1:
        if above.start_point[0] not in added or not lines[above.start_point[0]].lstrip().startswith(
            ("//", "/*")
        ):
            break
        first, above = above.start_point[0], above.prev_named_sibling
    return set(range(first, last + 1))


def _guards(text: str, added: frozenset[int]) -> frozenset[int]:
    """The lines of added include guards: in the middle of a file they guard nothing."""
    unused: set[int] = set()
    for node in walk(cpp_root(text)):
        name = node.child_by_field_name("name") if node.type == "preproc_ifdef" else None
        defines = [child for child in node.named_children if child.type == "preproc_def"]
        if name is None or not defines or node.child_by_field_name("alternative"):
            continue
        defined = defines[0].child_by_field_name("name")
        same = defined is not None and text_of(defined) == text_of(name)
        rows = {node.start_point[0], defines[0].start_point[0], _last_row(node)}
        once = len(re.findall(rf"\b{re.escape(text_of(name))}\b", text)) == len(rows) - 1
        if same and once and rows <= added and len(added) < text.count("\n"):
            unused |= rows
    return frozenset(unused)


def _last_row(node: Node) -> int:
    row, column = node.end_point
    return row - 1 if column == 0 else row


_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>")
_DECLARES = {
    "array": "array",
    "charconv": r"(to|from)_chars|chars_format",
    "cmath": r"sqrtl?f?|pow|f?abs|floor|ceil|l?l?round|trunc|exp2?|log(2|10|1p)?|a?(sin|cos|tan)h?"
    r"|atan2|hypot|fmod|cbrt|is(nan|inf|finite)|fma|remainder|NAN|INFINITY|HUGE_VAL|M_\w+",
    "cstddef": r"size_t|ptrdiff_t|nullptr_t|byte|max_align_t|offsetof|NULL",
    "cstdint": r"u?int(_fast|_least)?(8|16|32|64|ptr|max)_t|U?INT\d+_(MAX|MIN|C)",
    "cstdio": r"v?[fs]?n?printf|[fs]?scanf|f?getc(har)?|f?gets|f?puts|f?putc(har)?(_unlocked)?"
    r"|getchar_unlocked|fread(_unlocked)?|fwrite(_unlocked)?|fflush|stdin|stdout|stderr|FILE|EOF"
    r"|setv?buf|fopen|fclose|fseek|ftell|ungetc|rewind|BUFSIZ",
    "cstdlib": r"strto\w+|ato[ifl]l?|malloc|calloc|realloc|free|exit|abort|l?l?abs|q?sort|rand"
    r"|srand|l?l?div|getenv|EXIT_\w+|bsearch|aligned_alloc",
    "cstring": r"mem(cpy|set|move|cmp|chr)|str\w+",
    "initializer_list": "initializer_list",
    "iomanip": r"set(precision|w|fill|base|iosflags)|get_(time|money)|put_(time|money)|quoted",
    "iterator": r"\w*iterator(_\w+)?|\w*inserter|advance|distance|next|prev|c?r?(begin|end)|size",
    "limits": "numeric_limits",
    "ostream": r"(basic_)?ostream|endl|flush|ends",
    "stdexcept": r"(out_of_range|runtime|logic|invalid_argument|length|domain|range|overflow)\w*",
    "streambuf": r"(basic_|w)?streambuf",
    "string": r"(basic_|w|u8|u16|u32)?string|to_string|sto\w+|getline|char_traits",
    "type_traits": r"is_\w+|enable_if(_t)?|conditional(_t)?|decay(_t)?|remove_\w+|void_t|common_\w+"
    r"|make_(un)?signed(_t)?|(true|false)_type|underlying_type(_t)?|invoke_result(_t)?",
    "unordered_map": "unordered_(multi)?map",
    "unordered_set": "unordered_(multi)?set",
    "utility": r"move|forward|swap|exchange|(make_)?pair|declval|(make_)?(integer|index)_sequence",
    "vector": "vector",
}
"""Names for which support code includes standard headers."""


def _unused_includes(text: str, added: frozenset[int]) -> frozenset[int]:
    """Added includes of standard headers without a used name, or brought by another."""
    lines = split_lines(text)
    headers = [match and match[1] for match in map(_INCLUDE.match, lines)]
    code = "".join(line for line, header in zip(lines, headers, strict=True) if not header)
    words = set(WORD.findall(re.sub(r"//[^\n]*|/\*.*?\*/", "", code, flags=re.DOTALL)))
    everything = {n for n, header in enumerate(headers) if header == "bits/stdc++.h"} - added
    unused: set[int] = set()
    for number in added:
        header = headers[number]
        if header is None or header not in _DECLARES:
            continue
        pattern = re.compile(_DECLARES[header])
        if everything or not any(pattern.fullmatch(word) for word in words):
            unused.add(number)
    return frozenset(unused)


# -- Python ---------------------------------------------------------------------------------------


def _unused_in_python(
    text: str, added: frozenset[int], elsewhere: frozenset[str]
) -> frozenset[int]:
    """The lines of added imports and private definitions named nowhere.

    Other functions may be called by the task.
    """
    lines = split_lines(text)
    try:
        body = python_tree(text).body
    except ValueError:
        return frozenset()
    unused: set[int] = set()
    for node in body:
        names = _private(node)
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        own = range(first - 1, node.end_lineno or node.lineno)
        if not names or not added.issuperset(own):
            continue
        rest = "".join(line for number, line in enumerate(lines) if number not in own)
        if not names & (elsewhere | set(WORD.findall(rest))):
            unused |= set(own)
    return frozenset(unused)


def _private(node: ast.stmt) -> set[str]:
    match node:
        case ast.Import() | ast.ImportFrom(level=0):
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                return set()
            return {(one.asname or one.name).partition(".")[0] for one in node.names} - {"*"}
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if name.startswith("_"):
            return {name}
    return set()
