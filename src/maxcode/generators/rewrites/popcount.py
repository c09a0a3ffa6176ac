"""Set bits counted by an instruction."""

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.tree import statements

_BODY = re.compile(
    r"(?:(?P<a>\w+)\+=(?P<x>\w+)(?:&1|%2);|if\((?P<y>\w+)(?:&1|%2|%2==1)\)\{?(?P<b>\w+)\+\+;\}?)"
    r"(?P<z>\w+)(?:>>=1|/=2);"
)


class Popcount(SiteRewrite):
    """For loops that add the lowest bit and shift until nothing is left."""

    name = "popcount"
    summary = "Counts the bits of a number with the processor's own instruction."
    weight = 5.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each loop that counts bits."""
        for loop in source.walk("while_statement"):
            test = re.sub(r"[\s()]", "", source.of(loop.child_by_field_name("condition")))
            body = statements(loop.child_by_field_name("body"))
            found = _BODY.fullmatch(re.sub(r"\s", "", "".join(source.of(part) for part in body)))
            if found is None:
                continue
            number, count = found["z"], found["a"] or found["b"]
            if (found["x"] or found["y"]) == number and test in (
                number,
                f"{number}>0",
                f"{number}!=0",
            ):
                yield [
                    replace(loop, f"{{ {count} += __builtin_popcountll({number}); {number} = 0; }}")
                ]
