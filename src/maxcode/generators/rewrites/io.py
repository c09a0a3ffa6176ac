"""Rewrites of input and output: what is read and written in blocks, and what is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, rewrite
from maxcode.generators.rewrites.cpp import (
    MISSING,
    CppSource,
    Edit,
    Node,
    Variable,
    after,
    at_start,
    delete,
    replace,
)
from maxcode.generators.rewrites.cpp.source import in_block, main_body, names_in
from maxcode.generators.rewrites.support import Support, load

READER = "fast_input"
WRITER = "block_output"
C_INPUT = ("scanf", "getchar", "getchar_unlocked", "fgets", "gets", "fread", "stdin", "read")
C_OUTPUT = ("printf", "puts", "putchar", "putchar_unlocked", "fputs", "fwrite", "fputc", "stdout")

_TOKENS = load("token_reader")


def _static(kind: str, name: str, value: str = "") -> Support:
    return Support((), f"static {kind} {name}{value};")


@rewrite(
    "Reads the whole standard input at once and parses numbers by hand.",
    weight=7.5,
    support=(_TOKENS, _static("TokenReader", READER, " = TokenReader::standard_input()")),
    max_single=0,
)
def block_input(source: CppSource) -> Iterator[Site]:
    """Applies where std::cin serves `>>` into numbers and strings, and getline, only."""
    streams = _uses_of_stream(source, "cin")
    if main_body(source) is None or source.mentions(READER, *C_INPUT) or _extracts(source):
        return
    edits: list[Edit] = []
    for stream in streams:
        if stream.parent.text.endswith((".tie", ".exceptions")):
            continue  # harmless on the stream that is no longer read
        if not _reads_tokens(source, stream):
            return
        edits += [replace(stream, READER), *_unqualified_getline(stream)]
    if edits:
        yield edits


_FORMAT = re.compile(r'"(\s*%(d|u|ld|lld|lu|llu|lf|f| c))+\s*(\\n)?"')


@rewrite(
    "Reads the whole standard input at once instead of calling scanf for each number.",
    weight=6.0,
    support=(_TOKENS, _static("CTokenReader", READER, " = CTokenReader::standard_input()")),
    max_single=0,
)
def scanf_to_block_input(source: CppSource) -> Iterator[Site]:
    """Applies where every scanf reads numbers through plain addresses."""
    others = [word for word in C_INPUT if word != "scanf"]
    if main_body(source) is None or source.mentions("cin", READER, *others):
        return
    calls = [call for call in source.walk("call_expression") if call.callee == "scanf"]
    edits = [_from_scanf(call) for call in calls]
    found = [edit for edit in edits if edit is not None]
    if found and len(found) == len(calls):
        yield found


def _from_scanf(call: Node) -> Edit | None:
    """Return the edit of a call; None where it does more than read numbers."""
    given = [argument.text for argument in call.arguments]
    if not given or not _FORMAT.fullmatch(given[0]) or given[0].count("%") != len(given) - 1:
        return None
    if not all(target.startswith("&") for target in given[1:]):
        return None
    chain = " >> ".join([READER, *(target[1:] for target in given[1:])])
    if call.parent.type == "expression_statement":
        return replace(call, chain)
    test = call.parent.text.replace(" ", "").replace("std::", "")
    succeeded = rf"\)(==|>=){len(given) - 1}$|\)!=EOF$|\)>0$"
    if call.parent.type == "binary_expression" and re.search(succeeded, test):
        return replace(call.parent, f"bool({chain})")
    return None


@rewrite(
    "Splits lines into numbers and words without a string stream for each line.",
    weight=6.0,
    support=(_TOKENS,),
)
def stringstream_to_reader(source: CppSource) -> Iterator[Site]:
    """A string stream costs a locale and several allocations each time it is made."""
    if _extracts(source):
        return
    for variable in source.variables:
        if variable.type in ("istringstream", "stringstream") and variable.value:
            edits = _reader_for(source, variable)
            if variable.alone and not variable.form and edits:
                yield edits


def _reader_for(source: CppSource, variable: Variable) -> list[Edit]:
    """Return the edits for a string stream; none where it is not only made and read."""
    edits = [replace(variable.type_node, "TokenReader")]
    for use in source.uses(variable):
        method, _, given = use.method_call
        if method == "clear" or (method == "str" and given):
            continue
        if method == "str" or not _reads_tokens(source, use):
            return []
        edits += _unqualified_getline(use)
    return edits


def _uses_of_stream(source: CppSource, name: str) -> list[Node]:
    """Return the expressions `cin` or `std::cin`; none where a macro's body mentions the name."""
    if any(name in macro.text for macro in source.walk("preproc_arg")):
        return []
    found = []
    for node in source.walk("identifier"):
        if node.text == name and source.resolve(node) is None:
            whole = node.parent if node.parent.type == "qualified_identifier" else node
            if whole.parent and whole.parent.type != "using_declaration":
                found.append(whole)
    return found


def _extracts(source: CppSource) -> bool:
    """Say whether the program says how its own types are read."""
    return "operator>>" in source.text.replace(" ", "")


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
    chain, above = _chain(stream, ">>"), stream.parent
    if chain:
        while chain is not stream:
            if not _readable(source, chain["right"]):
                return False
            chain = chain["left"]
        return True
    if above.type == "field_expression":
        return above["field"].text in ("eof", "fail", "good", "ignore", "clear")
    if above.type == "argument_list":
        return above.parent.callee == "getline"
    return above.type in ("condition_clause", "unary_expression")


def _readable(source: CppSource, target: Node) -> bool:
    if target.text in ("ws", "std::ws", "hex", "std::hex"):
        return False
    variable = source.resolve(target)
    return variable is None or not (variable.form and source.expand(variable.type) == "char")


def _unqualified_getline(stream: Node) -> list[Edit]:
    """For `std::getline(stream, ...)`: call the getline that is found beside TokenReader."""
    callee = stream.parent.parent["function"]
    return [replace(callee, "getline")] if callee.text == "std::getline" else []


@rewrite(
    "Formats numbers by hand and writes standard output in large blocks.",
    weight=6.0,
    support=(load("block_writer"), _static("BlockWriter", WRITER)),
    max_single=0,
)
def block_output(source: CppSource) -> Iterator[Site]:
    """Applies where std::cout serves `<<` and its own formatting functions only."""
    if main_body(source) is None or source.mentions(WRITER, *C_OUTPUT):
        return
    edits: list[Edit] = []
    for stream in _uses_of_stream(source, "cout"):
        above = stream.parent
        if above.type == "field_expression":
            if not above.text.endswith(".tie"):
                edits += [replace(stream, WRITER), after(stream, ".format")]
        elif _chain(stream, "<<").parent.type in ("expression_statement", "comma_expression"):
            edits.append(replace(stream, WRITER))
        else:
            return  # the value of the chain is used: it must stay a std::ostream
    if edits:
        yield edits


@rewrite("Ends lines without flushing the output each time.", weight=6.0, max_single=2)
def endl_to_newline(source: CppSource) -> Iterator[Site]:
    r"""`<< endl` becomes `<< '\n'`; explicit flushes of standard output go."""
    for chain in source.walk("binary_expression"):
        first = chain
        while first.type == "binary_expression" and first["left"]:
            first = first["left"]
        if "<<" not in chain.text or first.text.removeprefix("std::") in ("cerr", "clog"):
            continue
        left, right = chain["left"], chain["right"]
        written = right.text.removeprefix("std::")
        if written == "endl":
            yield [replace(right, "'\\n'")]
        elif written == "flush":
            yield [Edit(left.end_byte, right.end_byte, "")]
    for call in source.walk("call_expression"):
        text = call.squeezed.replace("std::", "")
        flushes = text in ("fflush(stdout)", "cout.flush()")
        if flushes and call.parent.type == "expression_statement":
            yield [delete(call)]


@rewrite(
    "Reads and writes single characters without locking the stream each time.",
    weight=3.0,
    headers=("cstdio",),
    max_single=0,
)
def unlocked_stdio(source: CppSource) -> Iterator[Site]:
    """POSIX only; a program with threads is left alone."""
    if source.mentions("thread", "async", "pthread_create"):
        return
    for call in source.walk("call_expression"):
        if call.callee in ("getchar", "putchar"):
            yield [replace(call["function"], f"{call.callee}_unlocked")]


@rewrite(
    "Reads and writes through C++ streams without synchronising them with C's stdio.",
    weight=7.0,
    headers=("iostream",),
)
def unsync_streams(source: CppSource) -> Iterator[Site]:
    """Not where one direction mixes both libraries: the order of output would change."""
    body = main_body(source)
    reads, writes = source.mentions("cin"), source.mentions("cout")
    if body is None or not (reads or writes) or source.mentions("sync_with_stdio"):
        return
    if (reads and source.mentions(*C_INPUT)) or (writes and source.mentions(*C_OUTPUT)):
        return
    code = "\n    std::ios::sync_with_stdio(false);"
    if reads and not source.mentions("tie"):
        code += "\n    std::cin.tie(nullptr);"
    yield [at_start(body, code)]


@rewrite("Appends to a string in place instead of building a new one.", weight=8.0)
def append_in_place(source: CppSource) -> Iterator[Site]:
    """`s = s + a + b` copies the whole string twice; `s += a; s += b` does not."""
    for assignment in source.walk("assignment_expression"):
        left, right, statement = assignment["left"], assignment["right"], assignment.parent
        if assignment.operator != "=" or statement.type != "expression_statement":
            continue
        added: list[Node] = []
        while right.type == "binary_expression" and right.operator == "+":
            added.insert(0, right["right"])
            right = right["left"]
        target = left.text
        if not added or right.text != target or not _is_string(source, left):
            continue
        if len(added) > 1 and any(names_in(term.text, target) for term in added):
            continue  # would see the string already changed
        separator = f";\n{statement.indent}" if in_block(statement) else ", "
        yield [replace(assignment, separator.join(f"{target} += {term.text}" for term in added))]


def _is_string(source: CppSource, left: Node) -> bool:
    if left.type == "field_expression":
        field = left["field"].text
        members = (v for v in source.variables if v.kind == "member")
        return any(v.name == field and v.type == "string" for v in members)
    name = left
    while name.type in ("subscript_expression", "field_expression"):
        name = name["argument"]
    variable = source.resolve(name)
    kind = "" if variable is None else source.expand(variable.type)
    if left.type == "subscript_expression":
        return kind in ("vector<string>", "map<int,string>", "map<string,string>")
    return kind == "string"
