"""Rewrites of input and output: block reads, streams on their own, strings that grow in place.

They assume standard input to be complete before the program starts, as in tests. A program that
flushes its output by name may talk to somebody, and is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import (
    MISSING,
    CppSource,
    Edit,
    Node,
    at_start,
    replace,
)
from maxcode.generators.rewrites.cpp.changes import is_object
from maxcode.generators.rewrites.cpp.names import ARITHMETIC
from maxcode.generators.rewrites.cpp.proof import kind_of, operators
from maxcode.generators.rewrites.cpp.source import in_block, main_body, names_in
from maxcode.generators.rewrites.support import Support, load

READER = "fast_input"
_C_INPUT = (
    "scanf", "getchar", "getchar_unlocked", "getc", "fgetc", "fgets", "gets", "fread", "fscanf",
    "vscanf", "ungetc", "stdin", "read", "getdelim", "ifstream", "fstream", "filebuf", "fopen",
)  # fmt: skip
_C_OUTPUT = (
    "printf", "puts", "putchar", "putchar_unlocked", "putc", "fputs", "fwrite", "fputc", "fprintf",
    "vprintf", "vfprintf", "stdout", "write", "ofstream", "fstream", "filebuf", "fopen",
)  # fmt: skip
_ERRORS = ("cerr", "clog", "stderr", "perror")
_FLUSHES = ("flush", "fflush", "unitbuf", "sync", "setvbuf", "setbuf")
_TOKENS = load("token_reader")
_READER = Support((), f"static TokenReader {READER} = TokenReader::standard_input();")


@rewrite(
    "Reads the whole standard input at once and parses numbers by hand.",
    weight=7.5,
    requires="std::cin serves `>>` into numbers and strings, getline and tests of its state, and "
    "nothing else reads or flushes.",
    support=(_TOKENS, _READER),
    max_single=0,
)
def block_input(source: CppSource) -> Iterator[Site]:
    """A missing or too large number is read as by std::cin."""
    if not source.standard("cin", "getline", "string", "TokenReader", READER):
        return
    if main_body(source) is None or _mentions(source, READER, *_C_INPUT, *_FLUSHES):
        return
    edits: list[Edit] = []
    for stream in _uses_of_stream(source, "cin"):
        if _is_switch(stream):
            continue  # harmless on the stream that is no longer read
        if not _reads_tokens(source, stream):
            return
        edits += [replace(stream, READER), *_unqualified_getline(stream)]
    if edits and "operator>>" not in operators(source):
        yield edits


def _mentions(source: CppSource, *words: str) -> bool:
    """Say whether any of these names of libraries occurs undeclared in the file."""
    return source.mentions(*(set(words) - source.declared))


def _is_switch(stream: Node) -> bool:
    """Say whether a stream is untied from another, or from C's, and nothing else."""
    access = stream.parent
    call = access.parent if access.type == "field_expression" else MISSING
    return (
        call.parent.type == "expression_statement"
        and access["field"].text in ("tie", "sync_with_stdio")
        and [given.text for given in call.arguments] in (["0"], ["nullptr"], ["NULL"], ["false"])
    )


def _uses_of_stream(source: CppSource, name: str) -> list[Node]:
    """Return the expressions `cin` or `std::cin`."""
    found = []
    for node in source.walk("identifier", "type_identifier"):  # `T x(std::cin)` may seem a type
        if node.text == name and source.resolve(node) is None:
            whole = node.parent if node.parent.type == "qualified_identifier" else node
            if whole.parent and whole.parent.type != "using_declaration":
                found.append(whole)
    return found


def _chain(stream: Node, operator: str) -> Node:
    """Return the whole of `stream << a << b`; missing where the stream begins no such chain."""
    top = stream
    while top.parent["left"] is top and top.parent.operator == operator:
        if top.parent.type != "binary_expression":
            break
        top = top.parent
    return MISSING if top is stream else top


def _reads_tokens(source: CppSource, stream: Node) -> bool:
    """Say whether a use of an input stream can be served by the support code's TokenReader."""
    chain, access = _chain(stream, ">>"), stream.parent
    if chain:
        whole = chain
        while chain is not stream:
            if kind_of(source, chain["right"]) not in ARITHMETIC | {"string"}:
                return False
            chain = chain["left"]
        return _is_tested(whole)
    if access.type == "field_expression":
        method, call, given = stream.method_call
        if method in ("eof", "fail", "good"):
            return not given
        limit = [argument.squeezed for argument in given]
        line = len(limit) == 2 and limit[1] == r"'\n'" and "streamsize>::max()" in limit[0]
        served = (method in ("clear", "ignore") and not given) or (method == "ignore" and line)
        return served and call.parent.type == "expression_statement"
    if access.type == "argument_list":
        given = access.parts
        ends = len(given) == 2 or (len(given) == 3 and given[2].type == "char_literal")
        return (
            access.parent.callee == "getline"
            and given[0] is stream
            and ends
            and kind_of(source, given[1]) == "string"
            and _is_tested(access.parent)
        )
    return _is_tested(stream)


# Where the value of an expression is only tested or not used, with the fields for that.
_TESTS: dict[str, tuple[str, ...]] = {
    "expression_statement": (), "condition_clause": (), "conditional_expression": ("condition",),
    "comma_expression": ("left",), "for_statement": ("initializer", "condition", "update"),
}  # fmt: skip


def _is_tested(node: Node) -> bool:
    """Say whether the value of an expression is only tested, or not used at all."""
    above = node.parent
    if above.type in _TESTS and (not _TESTS[above.type] or node.field in _TESTS[above.type]):
        return True
    if above.type in ("parenthesized_expression", "comma_expression"):
        return above.parent.type == "do_statement" or _is_tested(above)
    if above.type == "unary_expression":
        return above.operator in ("!", "not")
    return above.type == "binary_expression" and above.operator in ("&&", "||", "and", "or")


def _unqualified_getline(stream: Node) -> list[Edit]:
    """For `std::getline(stream, ...)`: call the getline that is found beside TokenReader."""
    callee = stream.parent.parent["function"]
    return [replace(callee, "getline")] if callee.text == "std::getline" else []


@rewrite(
    "Reads and writes through C++ streams without synchronising them with C's stdio.",
    weight=7.0,
    requires="Neither direction mixes streams with C's stdio, nothing is read or written before "
    "main, and standard error is not used.",
    headers=("iostream",),
)
def unsync_streams(source: CppSource) -> Iterator[Site]:
    """Not where a program asks for its place in a stream, or takes characters back."""
    body = main_body(source)
    reads, writes = source.mentions("cin"), source.mentions("cout")
    if body is None or not (reads or writes) or not source.standard("cin", "cout"):
        return
    unsafe = (
        *("sync_with_stdio", "tie", "tellg", "seekg", "tellp", "seekp", "readsome", "in_avail"),
        *("putback", "unget", "abort", "_Exit", "_exit", "quick_exit", "terminate", "raise"),
        *("kill", "streambuf", *_ERRORS, *_FLUSHES),
    )
    if _mentions(source, *unsafe) or _works_before_main(source):
        return
    if (reads and _mentions(source, *_C_INPUT)) or (writes and _mentions(source, *_C_OUTPUT)):
        return
    code = "\n    std::ios::sync_with_stdio(false);"
    if reads:
        code += "\n    std::cin.tie(nullptr);"
    yield [at_start(body, code)]


def _works_before_main(source: CppSource) -> bool:
    """Say whether code of the program itself may run before main."""
    own = {function.name for function in source.functions} | {"cin", "cout"}
    own |= {
        node["name"].text
        for node in source.walk("struct_specifier", "class_specifier")
        if node.has("function_definition", "function_declarator", "storage_class_specifier")
    }
    for node in source.root.children:
        if node.type in ("declaration", "namespace_definition"):
            words = {part.text for part in node.walk("identifier", "type_identifier")}
            if node["declarator"].type == "function_declarator":
                words.discard(node["declarator"]["declarator"].text)  # a function declared only
            if own & words or node.has("lambda_expression"):
                return True
    return False


@rewrite(
    "Appends to a string in place instead of building a new one.",
    weight=8.0,
    requires="Only standard strings are added, and what is added after the first part depends on "
    "neither the string nor any code that may change it.",
)
def append_in_place(source: CppSource) -> Iterator[Site]:
    """`s = s + a + b` copies the whole string twice; `s += a; s += b` does not."""
    if not source.standard("string", "to_string") or source.mentions("capacity"):
        return
    if operators(source) & {"operator+", "operator+="}:
        return
    for assignment in source.walk("assignment_expression"):
        left, right, statement = assignment["left"], assignment["right"], assignment.parent
        if assignment.operator != "=" or statement.type != "expression_statement":
            continue
        added: list[Node] = []
        while right.type == "binary_expression" and right.operator == "+":
            added.insert(0, right["right"])
            right = right["left"]
        target = left.text
        if not added or right.text != target or kind_of(source, left) != "string":
            continue
        if left.has("update_expression", "call_expression", "assignment_expression"):
            continue
        later = added[1:] if left.type == "identifier" else added
        if not all(_is_independent(source, left, added[0], term) for term in later):
            continue
        separator = f";\n{statement.indent}" if in_block(statement) else ", "
        yield [replace(assignment, separator.join(f"{target} += {term.text}" for term in added))]


def _is_independent(source: CppSource, target: Node, first: Node, term: Node) -> bool:
    """Say whether an expression is the same before and after `first` was added to `target`."""
    if term.type in ("string_literal", "char_literal"):
        return True
    if term.type == "call_expression":
        given = term.arguments
        if term.callee != "to_string" or len(given) != 1:
            return False
        number = source.resolve(given[0])
        changed = source.changes.of(first)
        if number is None or changed is None or not is_object(number):
            return False
        return number not in changed and kind_of(source, given[0]) in ARITHMETIC
    base = next(target.walk("identifier"), MISSING)
    owner, variable = source.resolve(base), source.resolve(term)
    if owner is None or variable is None or names_in(term.text, base.text):
        return False
    apart = owner.form == "" or owner.kind == "parameter"
    local = variable.kind in ("local", "parameter") and not variable.form
    static = "static" in variable.declaration.text.split()
    return apart and local and not static and kind_of(source, term) in ("string", "char")
