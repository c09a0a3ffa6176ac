"""Elements made in their place."""

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.tree import arguments
from maxcode.generators.rewrites.cpp.types import plain, template


class EmplaceBack(SiteRewrite):
    """`v.push_back(T(a, b))` and `v.push_back(make_pair(a, b))` become `v.emplace_back(a, b)`."""

    name = "emplace-back"
    summary = "Makes an element in its place in the vector instead of moving it there."
    weight = 2.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each push_back of a value made in the call."""
        for variable in source.variables:
            parts = template(variable.type)
            if parts is None or parts[0] not in ("vector", "deque") or len(parts[1]) != 1:
                continue
            element = parts[1][0]
            for use in source.uses(variable):
                called = source.method_call(use)
                if called is None or called[0] != "push_back" or len(called[2]) != 1:
                    continue
                made = called[2][0]
                if made.type != "call_expression" or not arguments(made):
                    continue
                callee = plain(source.of(made.child_by_field_name("function")))
                pair = callee == "make_pair" and re.match(r"pair<", element)
                if callee == element or pair:
                    given = ", ".join(source.of(argument) for argument in arguments(made))
                    replaced = f"{source.of(use)}.emplace_back({given})"
                    yield [replace(called[1], replaced)]
