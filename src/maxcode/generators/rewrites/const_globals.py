"""Global constants that the compiler may rely on."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, before


class ConstGlobals(SiteRewrite):
    """A modulus known to the compiler needs no division."""

    name = "const-globals"
    summary = "Declares global variables const that are never changed."
    weight = 4.5
    max_single = 2

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each global number with an initial value that nothing writes to."""
        for variable in source.variables:
            if variable.kind != "global" or variable.const or variable.form or not variable.alone:
                continue
            if variable.value is None or not source.is_arithmetic(variable.type):
                continue
            if "extern" in source.of(variable.declaration).split():
                continue
            if not source.effects.writes(variable, source.root):
                yield [before(variable.type_node, "const ")]
