"""One search in a map where two or three were made."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.tree import statements


class SingleLookup(SiteRewrite):
    """Counting with `if (m.count(k)) m[k]++; else m[k] = 1;` needs no test at all."""

    name = "single-lookup"
    summary = "Searches a map once instead of testing for the key and then using it."
    weight = 4.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each test whose branches count up or begin to count."""
        for branch in source.walk("if_statement"):
            found = self._tested(source, branch)
            alternative = branch.child_by_field_name("alternative")
            if found is None or alternative is None:
                continue
            container, key, is_absent = found
            first = self._action(source, branch.child_by_field_name("consequence"))
            others = [c for c in alternative.named_children if c.type != "comment"]
            second = self._action(source, others[0] if len(others) == 1 else None)
            begin, count = (first, second) if is_absent else (second, first)
            entry = f"{container}[{key}]"
            if begin is None or count is None:
                continue
            added = self._added(entry, count)
            if added is not None and begin == f"{entry}={added};":
                step = f"++{entry};" if added == "1" else f"{entry} += {added};"
                yield [replace(branch, step)]

    def _tested(self, source: CppSource, branch: Node) -> tuple[str, str, bool] | None:
        """Return container, key, and whether the test holds where the key is absent."""
        text = re.sub(r"\s", "", source.of(branch.child_by_field_name("condition")))[1:-1]
        found = re.fullmatch(r"(\w+)\.find\((.+)\)(==|!=)\1\.end\(\)", text)
        if found is not None:
            return found[1], found[2], found[3] == "=="
        found = re.fullmatch(r"(!?)(\w+)\.(?:count|contains)\(([^()]+)\)(==0|>0|!=0|==1)?", text)
        if found is None:
            return None
        return found[2], found[3], bool(found[1]) != (found[4] == "==0")

    def _action(self, source: CppSource, node: Node | None) -> str | None:
        actions = statements(node)
        return re.sub(r"\s", "", source.of(actions[0])) if len(actions) == 1 else None

    def _added(self, entry: str, count: str) -> str | None:
        """Return what a counting statement adds."""
        if count in (f"{entry}++;", f"++{entry};"):
            return "1"
        for pattern in (f"{entry}+=", f"{entry}={entry}+"):
            if count.startswith(pattern):
                return count[len(pattern) : -1]
        return None
