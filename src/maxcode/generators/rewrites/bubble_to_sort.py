"""Hand-written quadratic sorts replaced by the library's."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.loops import CountedLoop, counted
from maxcode.generators.rewrites.cpp.tree import statements, unwrap


class BubbleToSort(SiteRewrite):
    """For bubble sort and exchange sort of a whole array; equal elements keep their order."""

    name = "bubble-to-sort"
    summary = "Sorts with the library's stable sort instead of comparing all pairs."
    weight = 9.5
    headers = ("algorithm",)

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each pair of loops that swaps elements that are out of order."""
        for node in source.walk("for_statement"):
            outer = counted(source, node)
            if outer is None or not outer.statements:
                continue
            inner = counted(source, outer.statements[-1])
            if inner is None or len(inner.statements) != 1:
                continue
            text = self._sort(source, outer, inner)
            if text is not None:
                yield [replace(node, text)]

    def _sort(self, source: CppSource, outer: CountedLoop, inner: CountedLoop) -> str | None:
        branch = inner.statements[0]
        if branch.type != "if_statement" or branch.child_by_field_name("alternative") is not None:
            return None
        swapped = self._swapped(source, branch)
        if swapped is None:
            return None
        array, first, second = swapped
        i, j = re.escape(outer.variable), re.escape(inner.variable)
        limit = re.sub(r"\s", "", inner.limit)
        if (first, second) == (inner.variable, f"{inner.variable}+1"):
            size = re.fullmatch(rf"(\w+(?:\.size\(\))?)(?:-{i}-1|-1-{i}|-1)", limit)
        elif (first, second) == (outer.variable, inner.variable):
            begins = re.sub(r"\s", "", inner.start) == f"{outer.variable}+1"
            size = re.fullmatch(r"(\w+(?:\.size\(\))?)", limit) if begins else None
        else:
            return None
        if size is None or outer.start not in ("0", "1") or not j:
            return None
        test = unwrap(branch.child_by_field_name("condition"))
        condition = re.sub(r"\s*\+\s*1\s*\]", "+1]", source.of(test))
        swapped_test = condition.replace(f"{array}[{first}]", "right").replace(
            f"{array}[{second}]", "left"
        )
        unknown = {array, outer.variable, inner.variable}
        if not unknown.isdisjoint(re.findall(r"\w+", swapped_test)) or "=" in swapped_test:
            return None
        return (
            f"std::stable_sort(&{array}[0], &{array}[0] + {size[1]}, "
            f"[&](const auto& left, const auto& right) {{ return {swapped_test}; }});"
        )

    def _swapped(self, source: CppSource, branch: Node) -> tuple[str, str, str] | None:
        """Return the array and the two places that a branch swaps."""
        body = "".join(
            re.sub(r"\s", "", source.of(part))
            for part in statements(branch.child_by_field_name("consequence"))
        )
        found = re.fullmatch(r"(?:std::)?swap\((\w+)\[(.+)\],\1\[(.+)\]\);", body)
        if found is None:
            found = re.fullmatch(
                r"[a-z]+(t|tmp|temp)=(\w+)\[(.+)\];\2\[\3\]=\2\[(.+)\];\2\[\4\]=\1;", body
            )
            places = None if found is None else (found[2], found[3], found[4])
        else:
            places = (found[1], found[2], found[3])
        if places is not None and places[1].endswith("+1"):
            places = (places[0], places[2], places[1])
        return places
