"""Small powers as products."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, replace
from maxcode.generators.rewrites.cpp.tree import arguments
from maxcode.generators.rewrites.support import load

_SMALL = {"2": "squared", "3": "cubed", "2.0": "squared", "3.0": "cubed"}


class PowerToProduct(SiteRewrite):
    """For the constants 2, 3 and 0.5 and for whole exponents in integer variables."""

    name = "power-to-product"
    summary = "Computes powers with whole exponents by multiplying instead of calling pow."
    weight = 4.0
    support = load("powers")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each call of pow with a suitable exponent."""
        for call in source.walk("call_expression"):
            callee = call.child_by_field_name("function")
            given = arguments(call)
            if callee is None or source.callee(call) not in ("pow", "powl") or len(given) != 2:
                continue
            base, exponent = given
            small = _SMALL.get(source.of(exponent))
            rest = Edit(base.end_byte, exponent.end_byte, "")
            if small is not None:
                yield [replace(callee, small), rest]
            elif source.of(exponent) == "0.5":
                yield [replace(callee, "std::sqrt"), rest]
            elif self._is_whole(source, exponent):
                yield [replace(callee, "whole_power")]

    def _is_whole(self, source: CppSource, node: Node) -> bool:
        if node.type == "binary_expression":
            return source.of(node.child_by_field_name("operator")) in ("+", "-") and all(
                self._is_integer(source, child) for child in node.named_children
            )
        return self._is_integer(source, node)

    def _is_integer(self, source: CppSource, node: Node) -> bool:
        if node.type == "number_literal":
            return source.of(node).isdigit()
        variable = source.names.resolve(node) if node.type == "identifier" else None
        return variable is not None and not variable.form and source.is_integer(variable.type)
