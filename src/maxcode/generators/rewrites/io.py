"""Rewrites of input and output: block reads, streams on their own, strings that grow in place.

They assume standard input to be complete before the program starts, as in tests. A program that
flushes its output by name may talk to somebody, and is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import MISSING, CppSource, Edit, Node, at_start, replace
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
_FLUSHES = ("flush", "fflush", "unitbuf", "sync", "setvbuf", "setbuf")
# Of the input stream, and nothing that the reader in its place has.
_FORMATS = (
    "hex", "oct", "setbase", "boolalpha", "skipws", "noskipws", "ws", "istream", "istream_iterator",
    "istreambuf_iterator", "exceptions",
)  # fmt: skip
_SWITCHES = ("tie", "sync_with_stdio")
_TOKENS = load("token_reader")
_READER = Support((), f"static TokenReader {READER} = TokenReader::standard_input();")


@rewrite(
    "Reads the whole standard input at once and parses numbers by hand.",
    weight=7.5,
    requires="std::cin serves `>>`, getline and tests of its state, and nothing else reads or "
    "flushes; the reader in its place takes numbers and strings only, so other uses do not build.",
    support=(_TOKENS, _READER),
)
def block_input(source: CppSource) -> Iterator[Site]:
    """A missing or too large number is read as by std::cin."""
    if not source.standard("cin", "getline", "string", "TokenReader", READER):
        return
    if source.function("main") is None or _mentions(source, *_C_INPUT, *_FLUSHES, *_FORMATS):
        return
    edits: list[Edit] = []
    for stream in _uses_of_cin(source):
        access, method = stream.parent, stream.parent["field"].text
        if access.type == "field_expression" and method in _SWITCHES:
            continue  # harmless on the stream that is no longer read
        if not _reads_tokens(stream):
            return
        edits.append(replace(stream, READER))
        callee = access.parent["function"]
        if callee.text == "std::getline":  # the reader's is found beside it
            edits.append(replace(callee, "getline"))
    if edits and not any(node.squeezed == "operator>>" for node in source.walk("operator_name")):
        yield edits


def _mentions(source: CppSource, *words: str) -> bool:
    """Say whether any of these names of libraries occurs undeclared in the file."""
    return source.mentions(*(set(words) - source.declared))


def _uses_of_cin(source: CppSource) -> Iterator[Node]:
    """Yield the expressions `cin` or `std::cin`."""
    for node in source.walk("identifier", "type_identifier"):  # `T x(std::cin)` may seem a type
        if node.text == "cin" and source.resolve(node) is None:
            whole = node.parent if node.parent.type == "qualified_identifier" else node
            if whole.parent.type != "using_declaration":
                yield whole


def _reads_tokens(stream: Node) -> bool:
    """Say whether a use of an input stream can be served by the support code's TokenReader."""
    above = stream.parent
    match above.type:
        case "binary_expression":
            return above.operator in (">>", "&&", "||")
        case "unary_expression":
            return above.operator == "!"
        case "field_expression":
            methods = ("eof", "fail", "good", "clear", "ignore")
            return above["field"].text in methods and above.is_called
        case "argument_list":
            return above.parent.callee == "getline" and above.parts[0] is stream
    return above.type == "condition_clause"


@rewrite(
    "Reads and writes through C++ streams without synchronising them with C's stdio.",
    weight=7.0,
    requires="Neither direction mixes streams with C's stdio, nothing is read or written before "
    "main, and standard error is not used.",
    headers=("iostream",),
)
def unsync_streams(source: CppSource) -> Iterator[Site]:
    """Not where a program asks for its place in a stream, or takes characters back."""
    main = source.function("main")
    reads, writes = source.mentions("cin"), source.mentions("cout")
    if main is None or not (reads or writes) or not source.standard("cin", "cout"):
        return
    unsafe = (
        *("tellg", "seekg", "tellp", "seekp", "readsome", "in_avail", "putback", "unget"),
        *("abort", "_Exit", "_exit", "quick_exit", "terminate", "raise", "kill", "streambuf"),
        *("cerr", "clog", "stderr", "perror", *_FLUSHES, *_SWITCHES),
    )
    if _mentions(source, *unsafe) or any(map(_runs_code, source.root.children)):
        return
    if (reads and _mentions(source, *_C_INPUT)) or (writes and _mentions(source, *_C_OUTPUT)):
        return
    code = "\n    std::ios::sync_with_stdio(false);"
    if reads:
        code += "\n    std::cin.tie(nullptr);"
    yield [at_start(main.body, code)]


def _runs_code(declaration: Node) -> bool:
    """Say whether a global declaration may run code of the program itself before main."""
    called = declaration.has("call_expression", "lambda_expression", "function_definition")
    ours = declaration["type"].text == "TokenReader"
    return declaration.type in ("declaration", "namespace_definition") and called and not ours


@rewrite(
    "Appends to a string in place instead of building a new one.",
    weight=8.0,
    requires="What is added after the first part is a literal, or a local string, character or "
    "number beside a first part without calls.",
)
def append_in_place(source: CppSource) -> Iterator[Site]:
    """`s = s + a + b` copies the whole string twice; `s += a; s += b` does not."""
    own = any("operator+" in node.squeezed for node in source.walk("operator_name"))
    if own or not source.standard("string", "to_string") or source.mentions("capacity"):
        return
    for assignment in source.walk("assignment_expression"):
        left, right, statement = assignment["left"], assignment["right"], assignment.parent
        target = source.resolve(left)
        if assignment.operator != "=" or statement.type != "expression_statement":
            continue
        if target is None or source.expand(target.type) != "string":
            continue
        if target.form and not (target.form == "&" and target.kind == "parameter"):
            continue  # another name of a string that may be added
        added: list[Node] = []
        while right.type == "binary_expression" and right.operator == "+":
            added.insert(0, right["right"])
            right = right["left"]
        unchanged = (_is_unchanged(source, left, added[0], term) for term in added[1:])
        if added and right.text == left.text and all(unchanged):
            parts = (f"{left.text} += {term.text}" for term in added)
            yield [replace(assignment, ", ".join(parts))]


def _is_unchanged(source: CppSource, target: Node, first: Node, term: Node) -> bool:
    """Say whether an expression is the same before and after `first` was added to `target`."""
    if term.type in ("string_literal", "char_literal"):
        return True
    if term.callee == "to_string":
        term = term.arguments[0] if len(term.arguments) == 1 else MISSING
    variable = source.resolve(term)
    return (
        variable is not None
        and variable is not source.resolve(target)
        and variable.is_own
        and not first.has("call_expression", "update_expression", "assignment_expression")
    )
