"""The code in an answer: in fences, in tags, or amid prose.

Also whether it is a whole file, as far as fragments of C++ or Python show it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

_FENCE = re.compile(r"(?P<indent>[ \t]*+)(?P<run>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^`]*+)")
_TAG = re.compile(
    r"^[ \t]*<(?P<end>/?)(?P<name>answer|code|cpp|file|program|python|solution|source)\b"
    r"(?P<attributes>[^>\n]*)>|</(?P<late>answer|code|cpp|file|program|python|solution|source)>",
    re.IGNORECASE | re.MULTILINE,
)
MAX_BLOCKS = 100
"""Only so many pieces of code, the last, are looked at: no person reads more."""
_STARTS = {
    "c++": re.compile(r"\s*#\s*(?:include|pragma|define|if|ifdef|ifndef)\b|using namespace "),
    "python": re.compile(r"(?:import|from)\s+\w|class \w+|def \w+|@\w|\"\"\"|'''|#!"),
}
_ENDS = {
    "c++": re.compile(r"\s*(?:[}#]|//)|.*[;}]\s*(?://.*)?$|.*\*/\s*$"),
    "python": re.compile(
        r"[ \t]|[)\]}#@\"']|[\w.]+\(.*\)\s*$|[\w., ]+(?::[^=]*)?=|return\b|pass\b"
    ),
}


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of code in an answer.

    ``info`` is the text of its fence or tag, ``above`` the line of prose before it. ``closed``: the
    answer goes on after it. ``line`` is its last line.
    """

    info: str
    above: str
    code: str
    closed: bool
    line: int

    @property
    def language(self) -> str:
        """The first word of ``info``, in lower case."""
        found = re.match(r"[{.\s]*([\w+#-]*)", self.info)
        return found[1].lower() if found else ""


class _Fence(NamedTuple):
    indent: int
    run: str
    info: str


def read_blocks(text: str, language: str) -> tuple[list[Block], str]:
    """The fenced pieces of a text, in order, and the text without them, line by line.

    A fence inside a string or comment of the code does not end it; a fence with a language begins
    the next piece even if the last was left open. Fences around a whole answer with further fences
    are dropped.
    """
    lines = text.split("\n")
    blocks: deque[Block] = deque(maxlen=MAX_BLOCKS)
    prose = lines[:]
    wrappers: list[str] = []
    at = 0
    while at < len(lines):
        fence = _opening(lines[at])
        at += 1
        if fence is None:
            continue
        if not fence.info and fence.run in wrappers:
            wrappers.remove(fence.run)
        elif _wraps(fence, lines, at, language):
            wrappers.append(fence.run)
        else:
            end, following = _end(fence, lines, at, language)
            code = [line[min(fence.indent, _indent(line)) :] for line in lines[at:end]]
            before = [line for line in prose[max(0, at - 4) : at - 1] if line.strip()]
            above = before[-1] if before else ""
            blocks.append(Block(fence.info, above, "\n".join(code), end < len(lines), end))
            prose[at - 1 : following] = [""] * (min(following, len(lines)) - at + 1)
            at = following
            continue
        prose[at - 1] = ""
    return list(blocks), "\n".join(prose)


def read_tags(text: str) -> list[Block]:
    """Contents of ``<code>``, ``<file path="...">`` and the like, the innermost only."""
    blocks: deque[Block] = deque(maxlen=MAX_BLOCKS)
    opened: re.Match[str] | None = None
    for tag in _TAG.finditer(text):
        if tag["name"] and not tag["end"]:
            opened = tag
        elif opened and opened["name"].lower() == (tag["name"] or tag["late"]).lower():
            code = text[opened.end() : tag.start()].strip("\n")
            code = code.strip().removeprefix("<![CDATA[").removesuffix("]]>").strip("\n")
            blocks.append(Block("", opened["attributes"], code, closed=True, line=0))
            opened = None
    return list(blocks)


def loose_code(text: str, language: str) -> str:
    """The code of a text with prose before and perhaps after it; "" for none."""
    if language not in _STARTS:
        return ""
    lines = text.split("\n")
    starts, ends = _STARTS[language], _ENDS[language]
    comments = ("//", "/*", " *") if language == "c++" else ("# ",)
    first = next((i for i, line in enumerate(lines) if starts.match(line)), len(lines))
    while first > 0 and lines[first - 1].startswith(comments):
        first -= 1
    last = next((i for i in range(len(lines) - 1, first, -1) if ends.match(lines[i])), first)
    return "\n".join(lines[first : last + 1])


def _opening(line: str) -> _Fence | None:
    found = _FENCE.fullmatch(line)
    return _Fence(len(found["indent"]), found["run"], found["info"].strip()) if found else None


def _wraps(fence: _Fence, lines: list[str], at: int, language: str) -> bool:
    """Whether a fence stands around an answer with fences of its own."""
    if fence.info.lower() in ("markdown", "md"):
        return True
    if fence.info or language not in _STARTS:
        return False
    for line in lines[at : at + 20]:
        inner = _FENCE.fullmatch(line)
        if inner or _STARTS[language].match(line):
            return bool(inner and inner["info"].strip()) and len(fence.run) > 3
    return False


def _end(fence: _Fence, lines: list[str], first: int, language: str) -> tuple[int, int]:
    """The last line of a fenced piece, and the next line to read; past the end if it is open."""
    name = fence.info.split()[0].lower() if fence.info else ""
    language = next((one for one, names in _LANGUAGES.items() if name in names), language)
    bounds = _bounds(fence, lines, first)
    end, following = next(bounds, (len(lines), len(lines)))
    if is_open("\n".join(lines[first:end]), language):
        for later, after in islice(bounds, 8):
            if after > later and is_closed("\n".join(lines[first:later]), language):
                return later, after
    return end, following


def _bounds(fence: _Fence, lines: list[str], first: int) -> Iterator[tuple[int, int]]:
    """Each possible last line of a fenced piece, with the next line to read."""
    for number in range(first, len(lines)):
        found = _FENCE.fullmatch(lines[number])
        if found is None:
            continue
        if found["info"].strip():
            if len(found["run"]) >= len(fence.run):
                yield number, number
        elif found["run"].startswith(fence.run) and len(found["indent"]) <= fence.indent + 3:
            yield number, number + 1


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
_Signs = tuple[tuple[str, re.Pattern[str]], ...]
_SIGNS: dict[str, _Signs] = {  # what the whole of a file has, if the file to improve has it
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
_KEYWORDS = {"for", "if", "while", "switch", "catch", "return", "sizeof", "main", "ModelNew"}
_GAP = re.compile(  # "// ... existing code ..."
    r"(?://|#|/\*|<!--)[\s(\[]*(?:\.\.\.|\N{HORIZONTAL ELLIPSIS})[^,]*\b(?:existing|unchanged"
    r"|same|rest|remain\w*|previous|original|omitted|before|identical|keep|snip\w*)\b[^,]*",
    re.IGNORECASE,
)
_LANGUAGES = {
    "python": ("py", "python", "python3", "pytorch", "triton"),
    "c++": ("c", "c++", "cpp", "cxx", "cc", "h", "hpp", "cu", "cuda", "cuda-cpp"),
    "c": ("c", "h", "cpp", "c++"),
    "javascript": ("js", "javascript", "mjs", "cjs", "node", "jsx"),
    "typescript": ("ts", "typescript", "mts"),
    "rust": ("rs", "rust"),
    "go": ("go", "golang"),
    "java": ("java",),
}
_MAIN = _SIGNS["c++"][0]
_WITH_MAIN = ("c", "rust", "go", "java")


def _tokens(language: str) -> re.Pattern[str] | None:
    """Comments and literals; languages with C's form of them have C++'s."""
    return _TOKENS.get(language, _TOKENS["c++"] if language in _LANGUAGES else None)


def may_be_code(block: Block, language: str) -> bool:
    """Whether a piece is in that language, whatever its fence says."""
    known = _LANGUAGES.get(language)
    return known is None or block.language in ("", language, *known)


def is_open(code: str, language: str) -> bool:
    """Whether the code ends inside of a comment or string of several lines."""
    last = ""
    tokens = _tokens(language)
    for found in tokens.finditer(code) if tokens else ():
        last = found[0] if found.end() == len(code) else ""
    if last.startswith("/*"):
        return len(last) < 4 or not last.endswith("*/")
    if last.startswith('R"'):
        return not last.endswith(")" + last[2 : last.index("(")] + '"')
    return last.startswith(('"""', "'''")) and (len(last) < 6 or not last.endswith(last[:3]))


def is_closed(code: str, language: str) -> bool:
    """Whether the code has brackets, strings and comments, and closes them all."""
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

    tokens = _tokens(language)
    return tokens.sub(emptied, code) if tokens else code


def missing(code: str, file: str, language: str) -> str:
    """Missing parts of a text that should replace ``file`` as a whole; "" for none.

    A file with main or ModelNew must keep it; any other file most of its definitions.
    """
    code, file = bare(code, language), bare(file, language)
    usual: _Signs = (_MAIN,) if language in _WITH_MAIN else ()
    signs: _Signs = _SIGNS.get(language, usual)
    if signs and not signs[0][1].search(file):
        pattern = _DEFINED.get(language, _DEFINED["c++"])
        defined = set(pattern.findall(file)) - _KEYWORDS
        kept = defined & set(re.findall(r"\w++", code))
        if len(kept) * 2 < len(defined):
            return ", ".join(sorted(defined - kept)[:5])
    for what, pattern in signs:
        if pattern.search(file) and not pattern.search(code):
            return what
    return ""


def left_out(code: str, known: Container[str], language: str) -> str:
    """The line of a text that stands for omitted code ("// ... as before ..."); or "".

    Lines of ``known`` (without white space around) count as code: the program has them, too.
    """
    for line in map(str.strip, code.split("\n")):
        if line in known or len(line) > 200:
            continue
        if _GAP.fullmatch(line):
            return line
        if line in ("...", "\N{HORIZONTAL ELLIPSIS}") and language != "python":
            return line  # in Python it is an expression
    return ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
