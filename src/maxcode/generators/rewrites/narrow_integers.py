"""int instead of long long where nothing multiplies."""

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Function, replace


class NarrowIntegers(SiteRewrite):
    """Only in functions that do not multiply, shift, accumulate or name large numbers."""

    name = "narrow-integers"
    summary = "Uses int instead of long long where a function only counts and compares."
    weight = 3.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield the types within each function of that kind."""
        for function in source.functions:
            if function.name == "main" or not self._counts_only(source, function):
                continue
            edits = [
                replace(node, "int")
                for node in source.walk("sized_type_specifier", within=function.body)
                if re.fullmatch(r"long\s+long(\s+int)?", source.of(node))
            ]
            if edits:
                yield edits

    def _counts_only(self, source: CppSource, function: Function) -> bool:
        for node in source.walk(
            "binary_expression", "assignment_expression", "number_literal", "call_expression",
            "template_function", within=function.body,
        ):  # fmt: skip
            operator = source.of(node.child_by_field_name("operator"))
            if operator in ("*", "<<", "%") or operator in ("+=", "*=", "-=", "<<="):
                return False
            if node.type == "number_literal" and not re.fullmatch(r"\d{1,9}", source.of(node)):
                return False
            if node.type == "call_expression" and source.callee(node) == function.name:
                return False
        return True
