"""New lines that do not flush."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, delete, replace
from maxcode.generators.rewrites.cpp.streams import leftmost


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
