"""Remainders of sums by a comparison and a subtraction."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.tree import unwrap


class ModuloToSubtraction(SiteRewrite):
    """`x = (x + y) % m` where both are below m: `x += y; if (x >= m) x -= m;`."""

    name = "modulo-to-subtraction"
    summary = "Replaces the division in a modular sum by a comparison and a subtraction."
    weight = 4.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each statement that adds to a variable modulo something."""
        for assignment in source.walk("assignment_expression"):
            statement = source.parent(assignment)
            left, right = (assignment.child_by_field_name(side) for side in ("left", "right"))
            if statement is None or statement.type != "expression_statement" or left is None:
                continue
            operator = source.of(assignment.child_by_field_name("operator"))
            target = source.of(left)
            if operator == "=" and right is not None:
                parts = self._modular_sum(source, right, target)
                if parts is not None:
                    added, modulus = parts
                    text = f"{target} += {added}; if ({target} >= {modulus}) {target} -= {modulus};"
                    yield [replace(statement, self._as_one(source, statement, text))]
            elif (
                operator == "%="
                and right is not None
                and right.type in ("identifier", "number_literal")
            ):
                previous = statement.prev_named_sibling
                added_before = (
                    source.of(previous)
                    .replace(" ", "")
                    .startswith((f"{target}+=", f"{target}++", f"++{target}"))
                )
                if previous is not None and added_before and "*" not in source.of(previous):
                    modulus = source.of(right)
                    text = f"if ({target} >= {modulus}) {target} -= {modulus};"
                    yield [replace(statement, text)]

    def _as_one(self, source: CppSource, statement: Node, text: str) -> str:
        block = source.parent(statement)
        return text if block is not None and block.type == "compound_statement" else f"{{ {text} }}"

    def _modular_sum(self, source: CppSource, value: Node, target: str) -> tuple[str, str] | None:
        """Return what is added and the modulus in `(target + added) % modulus`."""
        if source.of(value.child_by_field_name("operator")) != "%":
            return None
        total = unwrap(value.child_by_field_name("left"))
        modulus = value.child_by_field_name("right")
        if total is None or modulus is None or modulus.type not in ("identifier", "number_literal"):
            return None
        if source.of(total.child_by_field_name("operator")) != "+":
            return None
        first, second = (total.child_by_field_name(side) for side in ("left", "right"))
        simple = ("identifier", "number_literal", "subscript_expression", "call_expression")
        if first is None or second is None or first.type not in simple or second.type not in simple:
            return None
        terms = [source.of(first), source.of(second)]
        if target not in terms:
            return None
        terms.remove(target)
        return terms[0], source.of(modulus)
