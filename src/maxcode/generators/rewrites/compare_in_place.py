"""Parts of strings compared without being copied."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.tree import arguments


class CompareInPlace(SiteRewrite):
    """`s.substr(i, n) == t` becomes `s.compare(i, n, t) == 0`."""

    name = "compare-in-place"
    summary = "Compares a part of a string where it lies instead of copying it first."
    weight = 5.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each comparison with a substring."""
        for test in source.walk("binary_expression"):
            operator = source.of(test.child_by_field_name("operator"))
            left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
            if operator not in ("==", "!=") or left is None or right is None:
                continue
            for part, other in ((left, right), (right, left)):
                found = self._substring(source, part)
                if found is not None:
                    whole, given = found
                    yield [
                        replace(
                            test,
                            f"{whole}.compare({given}, {self._text(source, other)}) {operator} 0",
                        )
                    ]
                    break

    def _substring(self, source: CppSource, node: Node) -> tuple[str, str] | None:
        callee = node.child_by_field_name("function")
        if node.type != "call_expression" or callee is None or callee.type != "field_expression":
            return None
        if source.of(callee.child_by_field_name("field")) != "substr" or len(arguments(node)) != 2:
            return None
        given = ", ".join(source.of(argument) for argument in arguments(node))
        return source.of(callee.child_by_field_name("argument")), given

    def _text(self, source: CppSource, other: Node) -> str:
        """Return what to compare with: a substring as its string, place and length."""
        found = self._substring(source, other)
        if found is not None:
            return f"{found[0]}, {found[1]}"
        text = source.of(other)
        return text if other.type != "char_literal" else f'"{text[1:-1]}"'
