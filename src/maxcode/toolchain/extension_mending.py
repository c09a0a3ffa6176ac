"""Whether a larger header could mend what g++ complains of."""

from __future__ import annotations

import re
from collections.abc import Callable, Set

from maxcode.toolchain.extension_sources import BINDINGS, InlineSources

_ERROR = re.compile(r"^(?P<place>\S+?):\d+(?::\d+)?: (?:fatal )?error: (?P<said>.*)$", re.MULTILINE)
# What g++ says of a name that it does not know, with that name first.
_UNKNOWN = re.compile(
    r"'(?P<name>[\w:~<>, *&]+?)'(?: in namespace '[\w:]+')? (?:was not declared"
    r"|has not been declared|does not name a|undeclared"
    r"|is not a (?:member of|class|type|template|namespace))"
    r"|(?:no|not) (?:type|template|member)? ?named '(?P<named>[\w:]+)' in namespace"
    r"|(?P<other>incomplete|must '#include|expected (?:namespace-name|nested-name|class-name)"
    r"|undefined type|is not a template|not a class template)"
)
_SYNTAX = re.compile(
    r"expected (?:constructor|unqualified-id|initializer)|with no type|does not name a type"
)
_MACRO = re.compile(  # but for those that every header has
    r"^[ \t]*(?!(?:TORCH_CHECK|TORCH_WARN|TORCH_INTERNAL|AT_|C10_))"
    r"(?P<name>[A-Z][A-Z0-9_]{2,})\s*\(",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")


Words = Callable[[], Set[str] | None]
"""Gives all words of the larger header; None if they are not to be had."""


def mendable(said: str, sources: InlineSources, words: Words) -> bool:
    """Whether more headers could mend one of the errors that g++ ``said`` of the sources.

    Names could be declared, types completed, macros defined, of the words that occur in the larger
    header. Nothing else that is wrong with a candidate's own lines changes by more declarations.
    What is wrong inside of headers might.
    """
    errors = _errors(said)
    own = [one for one in errors if one["place"] != BINDINGS] or errors
    return not errors or any(_is_mendable(one, sources, words) for one in own)


def of_bindings_only(said: str) -> bool:
    """Whether all errors are in what binds functions, and none in a candidate's own lines."""
    return all(one["place"] == BINDINGS for one in _errors(said))


def _errors(said: str) -> list[re.Match[str]]:
    return list(_ERROR.finditer(said.translate({0x2018: "'", 0x2019: "'"})))


def _is_mendable(error: re.Match[str], sources: InlineSources, words: Words) -> bool:
    if error["place"].startswith("/"):  # in a header
        return True
    if unknown := _UNKNOWN.search(error["said"]):
        name, known = unknown["name"] or unknown["named"], words()
        return name is None or known is None or _last(name) in known
    if _SYNTAX.search(error["said"]):  # of what was meant to be a macro, perhaps
        macros = {found["name"] for text in sources.cpp_sources for found in _MACRO.finditer(text)}
        known = words() if macros else set()
        return known is None or not macros.isdisjoint(known)
    return False


def _last(name: str) -> str:
    """The word that is looked up: the last of ``a::b``."""
    words = _WORD.findall(name.partition("<")[0])
    return words[-1] if words else ""
