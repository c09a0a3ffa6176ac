"""Standard input read as one block."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Rewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, replace
from maxcode.generators.rewrites.cpp.streams import C_INPUT, main_body, reads_tokens, uses_of_stream
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
