"""Range-based loops that do not copy each element."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, after, before
from maxcode.generators.rewrites.cpp.copying import costly_to_copy
from maxcode.generators.rewrites.cpp.names import body_of


class RangeReference(SiteRewrite):
    """Only where the loop does not change its variable."""

    name = "range-reference"
    summary = "Visits the elements of a container by reference instead of copying each."
    weight = 5.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each loop whose variable is a copy that is only read."""
        seen: set[int] = set()
        for variable in source.variables:
            loop = variable.declaration
            body = body_of(loop)
            if variable.kind != "range" or body is None or loop.id in seen:
                continue
            seen.add(loop.id)
            if variable.form not in ("", "[binding]"):
                continue
            if variable.type != "auto" and not costly_to_copy(source, variable.type):
                continue
            if any(
                source.effects.writes(other, body)
                for other in source.variables
                if other.declaration.id == loop.id
            ):
                continue
            start = [] if variable.const else [before(variable.type_node, "const ")]
            yield [*start, after(variable.type_node, "&")]
