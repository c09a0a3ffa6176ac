"""The fenced code in an answer, and whether it is a whole file."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container
from dataclasses import dataclass

from maxcode.lang.outline import definitions
from maxcode.lang.syntax import bare

FENCE = re.compile(r"(?P<indent>[ \t]*+)(?P<run>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^`]*+)")
MAX_BLOCKS = 100
"""Only so many pieces of code, the last, are looked at: no person reads more."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of code in an answer.

    ``info`` is the text of its fence, ``above`` the line of prose before it. ``closed``: the answer
    goes on after it.
    """

    info: str
    above: str
    code: str
    closed: bool

    @property
    def language(self) -> str:
        """The first word of ``info``, in lower case."""
        found = re.match(r"[{.\s]*([\w+#-]*)", self.info)
        return found[1].lower() if found else ""


def read_blocks(text: str) -> tuple[list[Block], str]:
    """The fenced pieces of a text, in order, and the text without them, line by line.

    A fence with a language begins the next piece even if the last was left open.
    """
    lines = text.split("\n")
    blocks: deque[Block] = deque(maxlen=MAX_BLOCKS)
    prose = lines[:]
    at = 0
    while at < len(lines):
        fence = FENCE.fullmatch(lines[at])
        at += 1
        if fence is None:
            continue
        end, following = _end(fence, lines, at)
        indent = len(fence["indent"])
        code = [line[min(indent, _indent(line)) :] for line in lines[at:end]]
        before = [line for line in prose[max(0, at - 4) : at - 1] if line.strip()]
        above = before[-1] if before else ""
        blocks.append(Block(fence["info"].strip(), above, "\n".join(code), end < len(lines)))
        prose[at - 1 : following] = [""] * (following - at + 1)
        at = following
    return list(blocks), "\n".join(prose)


def _end(fence: re.Match[str], lines: list[str], first: int) -> tuple[int, int]:
    """The last line of a fenced piece, and the next line to read; past the end if it is open."""
    for number in range(first, len(lines)):
        found = FENCE.fullmatch(lines[number])
        if found is None or not found["run"].startswith(fence["run"]):
            continue
        if found["info"].strip():
            return number, number
        if len(found["indent"]) <= len(fence["indent"]) + 3:
            return number, number + 1
    return len(lines), len(lines)


_MAIN = "the function main", re.compile(r"\bmain\s*+\(")
_SIGNS = {  # what the whole of a file has, if the file to improve has it
    "c++": (
        _MAIN,
        ("its #include lines", re.compile(r"^[ \t]*+(?:#[ \t]*+include|import)\b", re.MULTILINE)),
    ),
    "python": (
        ("class ModelNew", re.compile(r"^(?:class\s++ModelNew\b|ModelNew\s*+=)", re.MULTILINE)),
        ("its import lines", re.compile(r"^[ \t]*+(?:import|from)[ \t]", re.MULTILINE)),
    ),
    **dict.fromkeys(("c", "rust", "go", "java"), (_MAIN,)),
}
_GAP = re.compile(  # "// ... existing code ..."
    r"(?://|#|/\*|<!--)[\s(\[]*(?:\.\.\.|\N{HORIZONTAL ELLIPSIS})[^,]*\b(?:existing|unchanged"
    r"|same|rest|remain\w*|previous|original|omitted|before|identical|keep|snip\w*)\b[^,]*",
    re.IGNORECASE,
)


def missing(path: str, code: str, file: str, language: str) -> str:
    """Missing parts of a text that should replace ``file`` as a whole; "" for none.

    A file with main or ModelNew must keep it; any other file most of its functions.
    """
    signs = _SIGNS.get(language, ())
    new, old = bare(code, language), bare(file, language)
    if signs and not signs[0][1].search(old):
        functions = {one.short for one in definitions(path, file)}
        kept = functions & set(re.findall(r"\w++", new))
        if len(kept) * 2 < len(functions):
            return ", ".join(sorted(functions - kept)[:5])
    for what, pattern in signs:
        if pattern.search(old) and not pattern.search(new):
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
