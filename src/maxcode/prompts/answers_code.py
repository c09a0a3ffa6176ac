"""What can be told of code without parsing it: is it closed, is it whole, is something left out."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache

_LITERAL = r"""
    "(?:\\.|[^"\\\n])*+"?
  | '(?:\\.|[^'\\\n])*+'?
"""
# Quantifiers are possessive, and what is left open ends with the line or the text: so that no
# text, however long and odd, takes more than a few passes.
_TOKENS = {
    "c++": re.compile(
        r"""//[^\n]*
          | /\*.*?(?:\*/|\Z)
          | R"(?P<mark>[^\s()\\"]{0,16})\(.*?(?:\)(?P=mark)"|\Z)
          | \b\d(?:'?[\w.])*+
          |"""
        + _LITERAL,
        re.DOTALL | re.VERBOSE,
    ),
    "python": re.compile(
        r'''\#[^\n]*
          | """(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\Z)
          | \'\'\'(?:[^'\\]++|\\.|'(?!\'\'))*+(?:\'\'\'|\Z)
          |'''
        + _LITERAL,
        re.DOTALL | re.VERBOSE,
    ),
}
_SIGNS = {  # what the whole of a file has, if the file to improve has it
    "c++": (
        ("the function main", re.compile(r"\bmain\s*+\(")),
        ("its #include lines", re.compile(r"^[ \t]*+(?:#[ \t]*+include|import)\b", re.MULTILINE)),
    ),
    "python": (
        ("class ModelNew", re.compile(r"^(?:class\s++ModelNew\b|ModelNew\s*+=)", re.MULTILINE)),
        ("its import lines", re.compile(r"^[ \t]*+(?:import|from)[ \t]", re.MULTILINE)),
    ),
}
_DEFINED = {
    "c++": re.compile(r"\b(\w++)\s*+\([^(){};]{0,500}+\)[\w\s]{0,40}+[{;]"),
    "python": re.compile(r"^(?:class|def)\s++(\w++)", re.MULTILINE),
}
_BODY = re.compile(  # in C++; what comes after a comma or a colon is a member's initializer
    r"(?:[^,:\s]|::|\A)\s*+\b(\w++)\s*+\([^(){};]{0,500}+\)[\w\s]{0,40}+\{"
)
_KEYWORDS = {"for", "if", "while", "switch", "catch", "return", "sizeof", "main", "ModelNew"}
_KEPT = re.compile(
    r"\b(?:existing|unchanged|same|rest|remain\w*|previous|original|omitted|before|other|identical"
    r"|your|code|here|keep|snip\w*)\b",
    re.IGNORECASE,
)
_SURELY_KEPT = re.compile(
    r"\b(?:unchanged|rest of|existing|omitted|(?:same )?as before"
    r"|remaining (?:code|parts?|lines|functions|methods))\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b(?:code|logic|implementation|body|functions?|methods?|program|file)\b", re.I)
_REASON = re.compile(r"\b(?:because|since|now|no longer|but)\b", re.IGNORECASE)
_STANDS_FOR = re.compile(
    r"(?:the )?(?:rest|remainder)\b.*\b(?:unchanged|same|as before|omitted|here)\b"
    r"|(?:existing|previous|original|other|remaining)\b.*\b(?:here|unchanged|omitted|same|before)\b"
    r"|(?:the )?same as (?:before|above|(?:in )?the original)\b"
    r"|unchanged(?: (?:code|body|part|from|as)\b.*)?$"
    r"|(?:code|body|implementation) (?:is )?(?:unchanged|omitted|the same)\b"
    r"|keep\b.*\b(?:as is|unchanged|the same)\b",
    re.IGNORECASE,
)


_BRIEF = 6  # words


def syntax(name: str, default: str = "") -> str:
    """The syntax that a fence's language names, "c++" or "python"; ``default`` for others."""
    name = name.lower()
    if name in ("py", "python", "python3", "pytorch", "triton"):
        return "python"
    if name in ("c", "c++", "cpp", "cxx", "cc", "h", "hpp", "cu", "cuda", "cuda-cpp"):
        return "c++"
    return default


def is_open(code: str, language: str) -> bool:
    """Whether the code ends inside of a comment or string that spans lines."""
    last = ""
    for found in _TOKENS[language].finditer(code) if language in _TOKENS else ():
        last = found[0] if found.end() == len(code) else ""
    if last.startswith("/*"):
        return len(last) < 4 or not last.endswith("*/")
    if last.startswith('R"'):
        return not last.endswith(")" + last[2 : last.index("(")] + '"')
    return last.startswith(('"""', "'''")) and (len(last) < 6 or not last.endswith(last[:3]))


def is_closed(code: str, language: str) -> bool:
    """Whether every bracket, string and comment that the code opens is closed, and it has some."""
    text = bare(code, language)
    balanced = all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))
    return balanced and bool(text.strip()) and not is_open(code, language)


@lru_cache(maxsize=8)
def bare(code: str, language: str) -> str:
    """The code without comments, and with empty literals; every line stays where it is."""

    def emptied(found: re.Match[str]) -> str:
        token = found[0]
        if token[0].isdigit():
            return token
        return '""' * (token[0] in "R\"'") + "\n" * token.count("\n")

    return _TOKENS[language].sub(emptied, code) if language in _TOKENS else code


def missing(code: str, file: str, language: str) -> str:
    """What a text lacks, in words, to be the whole of a file that now reads ``file``; "" if whole.

    A file with main or ModelNew must keep that; of any other, most of what it defines.
    """
    code, file = bare(code, language), bare(file, language)
    signs = _SIGNS.get(language, ())
    if signs and not signs[0][1].search(file):
        defined = set(_DEFINED[language].findall(file)) - _KEYWORDS
        kept = defined & set(re.findall(r"\w++", code))
        if len(kept) * 2 < len(defined):
            return ", ".join(sorted(defined - kept)[:5])
    for what, pattern in signs:
        if pattern.search(file) and not pattern.search(code):
            return what
    return ""


def has_bodies(code: str, file: str) -> bool:
    """Whether C++ code has a body for each function that a file without main has one for."""
    code, file = bare(code, "c++"), bare(file, "c++")
    bodies = set(_BODY.findall(file)) - _KEYWORDS
    ours = not _SIGNS["c++"][0][1].search(file) and bool(bodies)
    return ours and bodies <= set(_BODY.findall(code))


def left_out(code: str, known: Container[str], language: str) -> str:
    """The line of a text that stands for code that is left out ("// ... as before ..."); or "".

    Lines of ``known`` (without white space around) count as code: the program has them, too.
    """
    lines = [line for line in code.split("\n") if line.strip()]
    for number, line in enumerate(lines):
        text = line.strip()
        if text in known or len(text) > 200:
            continue
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if _is_placeholder(text, language, last=_ends_block(line, following)):
            return text
    return ""


def likeness(code: str, other: str) -> float:
    """Share of the words of two texts that both have (Jaccard), 0 to 1."""
    a, b = (set(re.findall(r"[^\W\d]\w++", text)) for text in (code, other))
    return len(a & b) / max(len(a | b), 1)


def _comment(text: str) -> str | None:
    """What a line says that is nothing but a comment."""
    if not text.startswith(("//", "#", "/*", "<!--")):
        return None
    return text.lstrip("/#*<!- \t").rstrip("*/-> \t").strip("()[] ")


def _is_placeholder(text: str, language: str, *, last: bool) -> bool:
    """Whether a line stands for code; ``last`` says that nothing comes after it in its block."""
    if text in ("...", "…"):
        return language == "c++"  # it is an expression of Python
    comment = _comment(text)
    if comment is None:
        return False
    words = comment.strip(".… ")
    if not words:
        return comment in ("...", "…")
    opens, closes = comment.startswith(("...", "…")), comment.endswith(("...", "…"))
    brief = "," not in words and len(words.split()) <= _BRIEF
    if opens and (closes or last or brief):
        return bool(_KEPT.search(words))
    if closes and "," not in words and (last or _CODE.search(words)):
        return bool(_SURELY_KEPT.search(words))
    return last and bool(_STANDS_FOR.match(words)) and not _REASON.search(words)


def _ends_block(line: str, following: str) -> bool:
    """Whether nothing comes after a line in its block: then a comment there stands for code."""
    if not following or following.lstrip().startswith("}"):
        return True
    return _indent(following) < _indent(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
