"""Standard input read as one block."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Rewrite, Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Variable, after, delete, replace
from maxcode.generators.rewrites.cpp.source import (
    C_INPUT,
    C_OUTPUT,
    chain_top,
    leftmost,
    main_body,
    names_in,
    reads_tokens,
    uses_of_stream,
)
from maxcode.generators.rewrites.cpp.tree import arguments
from maxcode.generators.rewrites.support import load

READER = "fast_input"


class BlockInput(Rewrite):
    """Applies where std::cin serves `>>` into numbers and strings, and getline, only."""

    name = "block-input"
    summary = "Reads the whole standard input at once and parses numbers by hand."
    weight = 7.5

    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield the program with every use of std::cin replaced."""
        streams = uses_of_stream(source, "cin")
        if not streams or main_body(source) is None or source.mentions(READER, *C_INPUT):
            return
        if "operator>>" in source.text.replace(" ", ""):
            return
        edits: list[Edit] = []
        for stream in streams:
            above = source.parent(stream)
            if above is not None and source.of(above).endswith((".tie", ".exceptions")):
                continue  # harmless on the stream that is no longer read
            if not reads_tokens(source, stream):
                return
            edits.append(replace(stream, READER))
            call = None if above is None else source.parent(above)
            callee = None if call is None else call.child_by_field_name("function")
            if callee is not None and source.of(callee) == "std::getline":
                edits.append(replace(callee, "getline"))  # found beside TokenReader
        if edits:
            support = load("token_reader")
            declaration = f"static TokenReader {READER} = TokenReader::standard_input();"
            yield source.edited(edits, headers=support.headers, support=[support.code, declaration])


_FORMAT = re.compile(r'"(\s*%(d|u|ld|lld|lu|llu|lf|f| c))+\s*(\\n)?"')


class ScanfToBlockInput(Rewrite):
    """Applies where every scanf reads numbers through plain addresses."""

    name = "scanf-to-block-input"
    summary = "Reads the whole standard input at once instead of calling scanf for each number."
    weight = 6.0

    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield the program with every scanf replaced."""
        others = [word for word in C_INPUT if word != "scanf"]
        if main_body(source) is None or source.mentions("cin", READER, *others):
            return
        edits: list[Edit] = []
        for call in source.walk("call_expression"):
            if source.callee(call) == "scanf":
                edit = self._edit(source, call)
                if edit is None:
                    return
                edits.append(edit)
        if edits:
            support = load("token_reader")
            declaration = f"static CTokenReader {READER} = CTokenReader::standard_input();"
            yield source.edited(edits, headers=support.headers, support=[support.code, declaration])

    def _edit(self, source: CppSource, call: Node) -> Edit | None:
        targets = self._targets(source, call)
        holder = source.parent(call)
        if not targets or holder is None:
            return None
        chain = " >> ".join([READER, *targets])
        if holder.type == "expression_statement":
            return replace(call, chain)
        test = source.of(holder).replace(" ", "").replace("std::", "")
        succeeded = rf"\)(==|>=){len(targets)}$|\)!=EOF$|\)>0$"
        if holder.type == "binary_expression" and re.search(succeeded, test):
            return replace(holder, f"bool({chain})")
        return None

    def _targets(self, source: CppSource, call: Node) -> list[str]:
        """Return what scanf reads into; nothing where it does more than read numbers."""
        given = [source.of(argument) for argument in arguments(call)]
        if not given or not _FORMAT.fullmatch(given[0]) or given[0].count("%") != len(given) - 1:
            return []
        if not all(target.startswith("&") for target in given[1:]):
            return []
        return [target[1:] for target in given[1:]]


class StringstreamToReader(SiteRewrite):
    """A string stream costs a locale and several allocations each time it is made."""

    name = "stringstream-to-reader"
    summary = "Splits lines into numbers and words without a string stream for each line."
    weight = 6.0
    support = load("token_reader")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each string stream that is made from a text and only read."""
        if "operator>>" in source.text.replace(" ", ""):
            return
        for variable in source.variables:
            if variable.type not in ("istringstream", "stringstream"):
                continue
            if variable.alone and not variable.form and variable.value is not None:
                edits = self._edits(source, variable)
                if edits is not None:
                    yield edits

    def _edits(self, source: CppSource, variable: Variable) -> list[Edit] | None:
        edits = [replace(variable.type_node, "TokenReader")]
        for use in source.uses(variable):
            called = source.method_call(use)
            if called is not None and called[0] in ("str", "clear"):
                if called[0] == "str" and not called[2]:
                    return None
                continue
            if not reads_tokens(source, use):
                return None
            listed = source.parent(use)
            call = None if listed is None else source.parent(listed)
            callee = None if call is None else call.child_by_field_name("function")
            if callee is not None and source.of(callee) == "std::getline":
                edits.append(replace(callee, "getline"))
        return edits


WRITER = "block_output"


class BlockOutput(Rewrite):
    """Applies where std::cout serves `<<` and its own formatting functions only."""

    name = "block-output"
    summary = "Formats numbers by hand and writes standard output in large blocks."
    weight = 6.0

    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield the program with every use of std::cout replaced."""
        streams = uses_of_stream(source, "cout")
        if not streams or main_body(source) is None or source.mentions(WRITER, *C_OUTPUT):
            return
        edits: list[Edit] = []
        for stream in streams:
            above = source.parent(stream)
            if above is not None and above.type == "field_expression":
                if not source.of(above).endswith(".tie"):
                    edits += [replace(stream, WRITER), after(stream, ".format")]
                continue
            chain = chain_top(source, stream, "<<")
            holder = None if chain is None else source.parent(chain)
            if holder is None or holder.type not in ("expression_statement", "comma_expression"):
                return  # the value of the chain is used: it must stay a std::ostream
            edits.append(replace(stream, WRITER))
        if edits:
            support = load("block_writer")
            yield source.edited(
                edits,
                headers=support.headers,
                support=[support.code, f"static BlockWriter {WRITER};"],
            )


class EndlToNewline(SiteRewrite):
    r"""`<< endl` becomes `<< '\n'`; explicit flushes of standard output go."""

    name = "endl-to-newline"
    summary = "Ends lines without flushing the output each time."
    weight = 6.0
    max_single = 2

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each endl and each flush, except on the unbuffered error streams."""
        for chain in source.walk("binary_expression"):
            left, right = chain.child_by_field_name("left"), chain.child_by_field_name("right")
            if left is None or right is None or "<<" not in source.of(chain):
                continue
            if source.of(leftmost(chain)).removeprefix("std::") in ("cerr", "clog"):
                continue
            written = source.of(right).removeprefix("std::")
            if written == "endl":
                yield [replace(right, "'\\n'")]
            elif written == "flush":
                yield [Edit(left.end_byte, right.end_byte, "")]
        for call in source.walk("call_expression"):
            statement = source.parent(call)
            if statement is None or statement.type != "expression_statement":
                continue
            text = source.of(call).replace("std::", "").replace(" ", "")
            if text in ("fflush(stdout)", "cout.flush()"):
                yield [delete(call)]


_UNLOCKED = {"getchar": "getchar_unlocked", "putchar": "putchar_unlocked"}


class UnlockedStdio(SiteRewrite):
    """POSIX only; a program with threads is left alone."""

    name = "unlocked-stdio"
    summary = "Reads and writes single characters without locking the stream each time."
    weight = 3.0
    headers = ("cstdio",)
    max_single = 0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each call of getchar and putchar."""
        if source.mentions("thread", "async", "pthread_create"):
            return
        for call in source.walk("call_expression"):
            callee = call.child_by_field_name("function")
            name = _UNLOCKED.get(source.callee(call))
            if callee is not None and name is not None:
                yield [replace(callee, name)]


class UnsyncStreams(SiteRewrite):
    """Not where one direction mixes both libraries: the order of output would change."""

    name = "unsync-streams"
    summary = "Reads and writes through C++ streams without synchronising them with C's stdio."
    weight = 7.0
    headers = ("iostream",)

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield the start of main."""
        body = main_body(source)
        reads, writes = source.mentions("cin"), source.mentions("cout")
        if body is None or not (reads or writes) or source.mentions("sync_with_stdio"):
            return
        if (reads and source.mentions(*C_INPUT)) or (writes and source.mentions(*C_OUTPUT)):
            return
        code = "\n    std::ios::sync_with_stdio(false);"
        if reads and not source.mentions("tie"):
            code += "\n    std::cin.tie(nullptr);"
        yield [Edit(body.start_byte + 1, body.start_byte + 1, code)]


class AppendInPlace(SiteRewrite):
    """`s = s + a + b` copies the whole string twice; `s += a; s += b` does not."""

    name = "append-in-place"
    summary = "Appends to a string in place instead of building a new one."
    weight = 8.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each assignment of a string that begins with the string itself."""
        for assignment in source.walk("assignment_expression"):
            left, right = (assignment.child_by_field_name(side) for side in ("left", "right"))
            if left is None or right is None or right.type != "binary_expression":
                continue
            operator = assignment.child_by_field_name("operator")
            if source.of(operator) != "=" or not self._is_string(source, left):
                continue
            first, *added = self._terms(source, right)
            target = source.of(left)
            if source.of(first) != target or not added:
                continue
            if len(added) > 1 and any(names_in(source.of(term), target) for term in added):
                continue  # would see the string already changed
            statement = source.parent(assignment)
            if statement is None or statement.type != "expression_statement":
                continue
            block = source.parent(statement)
            inside = block is not None and block.type == "compound_statement"
            separator = f";\n{source.indent(statement)}" if inside else ", "
            appended = [f"{target} += {source.of(term)}" for term in added]
            yield [replace(assignment, separator.join(appended))]

    def _is_string(self, source: CppSource, left: Node) -> bool:
        name = left
        while name.type in ("subscript_expression", "field_expression"):
            inner = name.child_by_field_name("argument")
            if inner is None:
                return False
            name = inner
        if left.type == "field_expression":
            field = source.of(left.child_by_field_name("field"))
            return any(
                v.name == field and v.kind == "member" and v.type == "string"
                for v in source.variables
            )
        variable = source.names.resolve(name) if name.type == "identifier" else None
        if variable is None:
            return False
        kind = source.expand(variable.type)
        if left.type == "subscript_expression":
            return kind in ("vector<string>", "map<int,string>", "map<string,string>")
        return kind == "string"

    def _terms(self, source: CppSource, sum_: Node) -> list[Node]:
        terms: list[Node] = []
        current = sum_
        while (
            current.type == "binary_expression"
            and source.of(current.child_by_field_name("operator")) == "+"
        ):
            left, right = (current.child_by_field_name(side) for side in ("left", "right"))
            if left is None or right is None:
                break
            terms.insert(0, right)
            current = left
        return [current, *terms]
