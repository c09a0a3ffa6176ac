"""Powers by repeated squaring."""

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.loops import counted

_STEP = re.compile(r"(\w+)=\(?\1\*(\w+)\)?%(\w+);")


class BinaryPower(SiteRewrite):
    """`for (...) result = result * base % m;` needs one product for each bit, not each round."""

    name = "binary-power"
    summary = "Computes a modular power by repeated squaring instead of one factor at a time."
    weight = 9.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each loop that does nothing but multiply modulo something."""
        for node in source.walk("for_statement"):
            loop = counted(source, node)
            if loop is None or len(loop.statements) != 1:
                continue
            step = _STEP.fullmatch(re.sub(r"\s", "", source.of(loop.statements[0])))
            if step is None or loop.variable in step.groups():
                continue
            result, base, modulus = step.groups()
            if base == result:
                continue
            power, left = source.fresh("power"), source.fresh("left")
            pad = source.indent(node)
            yield [
                replace(
                    node,
                    f"{{\n{pad}    long long {power} = {base} % {modulus};\n"
                    f"{pad}    for (long long {left} = ({loop.limit}) - ({loop.start}); "
                    f"{left} > 0; {left} >>= 1) {{\n"
                    f"{pad}        if ({left} & 1) {result} = {result} * {power} % {modulus};\n"
                    f"{pad}        {power} = {power} * {power} % {modulus};\n"
                    f"{pad}    }}\n{pad}}}",
                )
            ]
