"""double instead of long double."""

import re
from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, replace

_FUNCTION = re.compile(r"(?:std::)?((?:sqrt|pow|fabs|floor|ceil|sin|cos|tan|exp|log|atan2|hypot)l)")


class LongDoubleToDouble(SiteRewrite):
    """All in one: a program that mixes both would convert all the time."""

    name = "long-double-to-double"
    summary = "Computes with double, which processors do in hardware registers, not long double."
    weight = 6.0
    max_single = 0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield the types, literals, functions and formats of long double together."""
        types = [
            replace(node, "double")
            for node in source.walk("sized_type_specifier")
            if re.fullmatch(r"long\s+double", source.of(node))
        ]
        if not types:
            return
        edits: list[Edit] = types
        for node in source.walk("number_literal"):
            text = source.of(node)
            if text[-1:] in ("L", "l") and re.search(r"[.eE]", text) and "x" not in text:
                edits.append(replace(node, text[:-1]))
        edits += [
            replace(node, source.of(node)[:-1])
            for node in source.walk("identifier")
            if _FUNCTION.fullmatch(source.of(node))
        ]
        for node in source.walk("string_content"):
            text = re.sub(r"%([-+ 0]*\d*(?:\.\d+)?)L([fge])", r"%\1l\2", source.of(node))
            if text != source.of(node):
                edits.append(replace(node, text))
        yield edits
