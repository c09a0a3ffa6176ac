"""Standard output collected in memory."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Rewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, after, replace
from maxcode.generators.rewrites.cpp.streams import (
    C_OUTPUT,
    chain_top,
    main_body,
    uses_of_stream,
)
from maxcode.generators.rewrites.support import load

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
