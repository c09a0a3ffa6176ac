"""Divisors looked for up to the square root only."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.tree import statements, unwrap


class TrialDivision(SiteRewrite):
    """`i < n` (or `i <= n / 2`, `i <= sqrt(n)`) becomes `i * i <= n` where one divisor decides."""

    name = "trial-division"
    summary = "Looks for a divisor up to the square root instead of up to the number."
    weight = 9.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield the condition of each loop that stops caring after the first divisor."""
        for loop in source.walk("for_statement"):
            condition = loop.child_by_field_name("condition")
            body = loop.child_by_field_name("body")
            if condition is None or condition.type != "binary_expression":
                continue
            found = re.fullmatch(
                r"(\w+)\s*<=?\s*(?:\(int\)\s*)?(?:std::)?(?:sqrt\()?(\w+)\)?(?:\s*/\s*2)?",
                source.of(condition),
            )
            parts = statements(body)
            if found is None or len(parts) != 1 or parts[0].type != "if_statement":
                continue
            counter, number = found.groups()
            if self._decides(source, parts[0], counter, number):
                test = f"static_cast<long long>({counter}) * {counter} <= {number}"
                yield [replace(condition, test)]

    def _decides(self, source: CppSource, branch: Node, counter: str, number: str) -> bool:
        test = unwrap(branch.child_by_field_name("condition"))
        divides = re.sub(r"[\s()]", "", source.of(test)) in (
            f"{number}%{counter}==0", f"!{number}%{counter}",
        )  # fmt: skip
        actions = statements(branch.child_by_field_name("consequence"))
        return (
            divides
            and branch.child_by_field_name("alternative") is None
            and bool(actions)
            and all(self._final(source, action) for action in actions)
        )

    def _final(self, source: CppSource, action: Node) -> bool:
        text = source.of(action).replace(" ", "")
        return (
            re.fullmatch(r"return(false|true|0|1);|break;|\w+=(false|true|0|1);", text) is not None
        )
