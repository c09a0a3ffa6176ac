"""Calls in inner loops that always give the same value."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, replace
from maxcode.generators.rewrites.cpp.hoisting import declare_before
from maxcode.generators.rewrites.cpp.names import body_of
from maxcode.generators.rewrites.cpp.tree import LOOPS

_CHEAP = ("min", "max", "abs", "size", "length", "empty", "end", "make_pair", "c_str", "distance")


class HoistInvariantCall(SiteRewrite):
    """One level at a time; applied again it moves a call further out."""

    name = "hoist-invariant-call"
    summary = "Calls a function before a loop where each call in the loop gives the same value."
    weight = 6.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each loop, the calls in its body that may be made before it."""
        number = 0
        for loop in source.walk(*LOOPS):
            body = body_of(loop)
            if body is None or loop.type == "do_statement":
                continue
            edits: dict[str, list[Edit]] = {}
            for call in source.walk("call_expression", within=body):
                if self._innermost(source, call) != loop or not self._worthwhile(source, call):
                    continue
                if not source.effects.invariant(call, loop):
                    continue
                text = source.of(call)
                if text not in edits:
                    number += 1
                    name = source.fresh(f"value_{number}")
                    edits[text] = declare_before(source, loop, f"const auto {name} = {text};")
                edits[text].append(replace(call, name))
            yield from edits.values()

    def _innermost(self, source: CppSource, call: Node) -> Node | None:
        loops = source.enclosing_loops(call)
        return loops[0] if loops else None

    def _worthwhile(self, source: CppSource, call: Node) -> bool:
        callee = call.child_by_field_name("function")
        name = source.callee(call).rsplit(".", 1)[-1]
        listed = call.child_by_field_name("arguments")
        has_arguments = listed is not None and bool(listed.named_children)
        return callee is not None and name not in _CHEAP and has_arguments
