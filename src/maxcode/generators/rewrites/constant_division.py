"""Divisions by constants as multiplications."""

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit


class ConstantDivision(SiteRewrite):
    """In loops only; the result may differ in the last digit."""

    name = "constant-division"
    summary = "Multiplies by the reciprocal of a floating point constant instead of dividing."
    weight = 2.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each division by a floating point constant in a loop."""
        for quotient in source.walk("binary_expression"):
            left, right = (quotient.child_by_field_name(side) for side in ("left", "right"))
            operator = quotient.child_by_field_name("operator")
            if source.of(operator) != "/" or left is None or right is None or operator is None:
                continue
            divisor = source.of(right)
            if not re.fullmatch(r"\d+\.\d*", divisor) or float(divisor) == 0:
                continue
            if left.type != "number_literal" and source.enclosing_loops(quotient):
                yield [Edit(operator.start_byte, right.end_byte, f"* (1.0 / {divisor})")]
