"""Names of C++ functions, made short enough to read."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONGEST = 4000  # of a name that is looked at; template-heavy names reach thousands of characters
_SHORTEST = 80  # what is kept of a name that stays long
_OPERATOR = re.compile(r"operator ?(<=>|<<=|>>=|<<|>>|<=|>=|->\*|->|<|>|\(\)|\[\])")
_SPACED = re.compile(r"operator (new|delete)(\[\])?")
_CONVERSION = re.compile(r"\S*\boperator \w.*$")
_VARIANT = re.compile(r"'\d+$| ?\[clone .*\]$|\.(isra|part|constprop|cold|lto_priv)\b.*$|@.*$")
_VECTORISED = re.compile(
    r"^__((?:mem|str|wcs|wmem)\w+?)_(?:avx|sse|evex|erms)\w*$"
    r"|^_+(?:ieee754_)?(\w+?)_(?:fma4?|avx2?|sse\w*)$"  # the C library's mathematics
)
_ALIASES = (
    (re.compile(r"\b__cxx11::"), ""),
    (
        re.compile(r"\bbasic_(string|[io]?stream|[io]?fstream|[io]?stringstream|ios|filebuf)\b"),
        r"\1",
    ),
    (re.compile(r"\(anonymous namespace\)::"), ""),
)
_COPIES = re.compile(r"^(.*\b(\w+)::)(\2|operator=)$")  # a constructor or an assignment


def short_name(name: str) -> str:
    """A demangled name without template arguments, parameters, return type and variants.

    ``std::vector<int, std::allocator<int> >::push_back(int const&)`` is ``std::vector::push_back``.
    A copy constructor or assignment says so, ``std::vector::vector (copy)``, since the parameters
    that told it from its siblings are gone. What cannot be printed becomes a question mark.
    """
    text = "".join(c if c.isascii() and c.isprintable() else "?" for c in name[:_LONGEST])
    if text in {"(below main)", "_start"}:
        return "start-up"
    for pattern, instead in _ALIASES:
        text = pattern.sub(instead, text)
    text = _VARIANT.sub("", text)
    if vectorised := _VECTORISED.match(text):
        return vectorised[1] or vectorised[2]
    if spaced := _SPACED.search(text):
        return spaced[0]
    outer, parameters = _outer(text)
    converts = _CONVERSION.search(outer)
    outer = converts[0] if converts else outer.rpartition(" ")[2]  # behind the return type
    if (copying := _COPIES.match(outer)) and _is_own_type(copying[2], parameters):
        outer += " (copy)"
    return outer[:_SHORTEST] or "?"


def _is_own_type(name: str, parameters: str) -> bool:
    return bool(re.fullmatch(rf"(\w+::)*{name} const&", parameters))


def _outer(text: str) -> tuple[str, str]:
    """What stands outside all brackets, and what in the last round ones (again the outer part)."""
    kept: list[str] = []
    inside: list[str] = []
    closers: list[str] = []
    for piece in _pieces(text):
        if closers and piece == closers[-1]:
            closers.pop()
        elif piece in "<([":
            if piece == "(" and not closers:
                inside = []
            closers.append({"<": ">", "(": ")", "[": "]"}[piece])
        elif not closers:
            kept.append(piece)
        elif closers == [")"]:
            inside.append(piece)
    outer = re.sub(r"( (const|volatile|&|&&|noexcept))+$", "", "".join(kept).strip())
    return outer, "".join(inside)


def _pieces(text: str) -> Iterator[str]:
    """The characters, with each operator's name in one piece, so that no bracket of it counts."""
    at = 0
    while at < len(text):
        found = _OPERATOR.match(text, at) if text[at] == "o" else None
        piece = found[0].replace(" ", "") if found else text[at]
        at = found.end() if found else at + 1
        yield piece
