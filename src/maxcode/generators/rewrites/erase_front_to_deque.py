"""Queues that do not move all their elements."""

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, replace
from maxcode.generators.rewrites.cpp.containers import rename


class EraseFrontToDeque(SiteRewrite):
    """A vector that loses or gains its first element moves all the others each time."""

    name = "erase-front-to-deque"
    summary = "Takes elements from the front of a deque instead of shifting a vector."
    weight = 6.0
    headers = ("deque",)

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each local vector whose front changes."""
        for variable in source.variables:
            if variable.kind not in ("local", "global") or variable.form or not variable.alone:
                continue
            if not re.match(r"vector<(?!bool>)", variable.type):
                continue
            edits: list[Edit] = []
            fits = True
            for use in source.uses(variable):
                called = source.method_call(use)
                above = source.parent(use)
                if called is None:
                    visited = above is not None and above.type == "for_range_loop"
                    fits = fits and (visited or source.subscript(use) is not None)
                    continue
                method, call, given = called
                begins = bool(given) and source.of(given[0]) == f"{variable.name}.begin()"
                if method in ("data", "reserve", "capacity"):
                    fits = False
                elif method == "erase" and len(given) == 1 and begins:
                    edits.append(replace(call, f"{variable.name}.pop_front()"))
                elif method == "insert" and len(given) == 2 and begins:
                    edits.append(
                        replace(call, f"{variable.name}.push_front({source.of(given[1])})")
                    )
            if fits and edits:
                node = next(source.walk("template_type", within=variable.type_node))
                yield [rename(source, node, "std::deque"), *edits]
