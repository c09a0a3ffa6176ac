"""Loop conditions that do not compute the same bound each time."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.hoisting import declare_before


class HoistLoopBound(SiteRewrite):
    """For strlen, sqrt, size and pure functions of the file, of what the loop leaves alone."""

    name = "hoist-loop-bound"
    summary = "Computes the bound of a loop once, before the loop."
    weight = 7.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each call in a loop's condition that has one value all through the loop."""
        number = 0
        for loop in source.walk("for_statement", "while_statement"):
            condition = loop.child_by_field_name("condition")
            if condition is None:
                continue
            for call in self._calls(source, condition):
                if not source.effects.invariant(call, loop):
                    continue
                number += 1
                name = source.fresh(f"bound_{number}")
                declaration = f"const auto {name} = {source.of(call)};"
                yield [*declare_before(source, loop, declaration), replace(call, name)]

    def _calls(self, source: CppSource, condition: Node) -> Iterator[Node]:
        """Yield the calls that are operands of comparisons, not those within other calls."""
        end = -1
        for call in source.walk("call_expression", within=condition):
            above = source.parent(call)
            operand = above is not None and above.type in (
                "binary_expression", "cast_expression", "parenthesized_expression",
                "argument_list",
            )  # fmt: skip
            if call.start_byte >= end and operand:
                if "static_cast" in source.of(call):
                    continue  # its argument is the call that matters
                end = call.end_byte
                yield call
