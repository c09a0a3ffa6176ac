"""Where an answer holds code: fences as people read them, tags, and code amid prose."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import islice

from maxcode.prompts.answers_code import is_closed, is_open, syntax

_FENCE = re.compile(r"(?P<indent>[ \t]*+)(?P<run>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^`]*+)")
_LATE_FENCE = re.compile(r"[^`]*+(?<=[:\s])(?P<run>`{3,}+)(?P<info>[\w+#.-]*+)[ \t]*")
_HEADING = re.compile(r"#{1,6} .*|\*\*[^*]*\*\*:?")
_TAG = re.compile(
    r"^[ \t]*<(?P<end>/?)(?P<name>answer|code|cpp|file|program|python|solution|source)\b"
    r"(?P<attributes>[^>\n]*)>|</(?P<late>answer|code|cpp|file|program|python|solution|source)>",
    re.IGNORECASE | re.MULTILINE,
)
_INFO_CODE = re.compile(r"(?P<name>\w*)\s*(?P<code>(?:#include|import)\s.*)")
_WRAPPERS = ("markdown", "md")
MOST = 100
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

    ``info`` is what its fence or tag says, ``above`` the line of prose before it, ``heading`` a
    heading since the piece before. ``closed`` says that the answer goes on after it. ``line`` is
    where it ends.
    """

    info: str
    above: str
    code: str
    closed: bool
    line: int
    heading: str = ""

    @property
    def language(self) -> str:
        """The first word of ``info``, in lower case."""
        found = re.match(r"[{.\s]*([\w+#-]*)", self.info)
        return found[1].lower() if found else ""


@dataclass(frozen=True, slots=True)
class _Fence:
    indent: int
    run: str
    info: str


def read_blocks(text: str, language: str) -> tuple[list[Block], str]:
    """The fenced pieces of a text, in order, and the text without them, line by line.

    A fence inside of a string or comment of the code does not end it; one that names a language
    begins the next piece even if the last was left open. Fences around a whole answer, with others
    in them, are not there.
    """
    lines = text.split("\n")
    blocks: deque[Block] = deque(maxlen=MOST)
    prose = lines[:]
    wrappers: list[str] = []
    heading = ""
    at = 0
    while at < len(lines):
        fence = _opening(lines[at])
        at += 1
        if fence is None:
            heading = lines[at - 1] if _HEADING.fullmatch(lines[at - 1]) else heading
            continue
        if not fence.info and fence.run in wrappers:
            wrappers.remove(fence.run)
        elif _wraps(fence, lines, at, language):
            wrappers.append(fence.run)
        else:
            end, following = _end(fence, lines, at, language)
            code = [_outdented(line, fence.indent) for line in lines[at:end]]
            if following > end and end < len(lines) and not _FENCE.fullmatch(lines[end]):
                code.append(lines[end].rstrip()[: -len(fence.run)])  # "}```"
            info, first = _code_in(fence.info)
            above = next(
                (line for line in reversed(prose[max(0, at - 4) : at - 1]) if line.strip()), ""
            )
            text = "\n".join([*first, *code])
            blocks.append(Block(info, above, text, end < len(lines), end, heading))
            heading = ""
            late = _FENCE.fullmatch(lines[at - 1]) is None
            prose[at - 1] = lines[at - 1].partition("`")[0] if late else ""
            prose[at:following] = [""] * (min(following, len(lines)) - at)
            at = following
            continue
        prose[at - 1] = ""
    return list(blocks), "\n".join(prose)


def read_tags(text: str) -> list[Block]:
    """What stands between ``<code>``, ``<file path="...">`` and the like, the innermost only."""
    blocks: deque[Block] = deque(maxlen=MOST)
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
    """The code of a text that begins and may end with prose; "" if none is seen."""
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


def unescaped(code: str) -> str:
    """The code as it was before all of it was escaped for HTML, if it was."""
    escaped = ("&lt;" in code or "&gt;" in code) and not re.search("[<>]", code)
    return unescape(code) if escaped else code


def _opening(line: str) -> _Fence | None:
    found = _FENCE.fullmatch(line)
    if found:
        return _Fence(len(found["indent"]), found["run"], found["info"].strip())
    found = _LATE_FENCE.fullmatch(line)
    return _Fence(0, found["run"], found["info"]) if found else None


def _wraps(fence: _Fence, lines: list[str], at: int, language: str) -> bool:
    """Whether a fence stands around an answer that has fences of its own."""
    if fence.info.lower() in _WRAPPERS:
        return True
    if fence.info or language not in _STARTS:
        return False
    for line in lines[at : at + 20]:
        inner = _FENCE.fullmatch(line)
        if inner or _STARTS[language].match(line):
            return bool(inner and inner["info"].strip()) and len(fence.run) > 3
    return False


def _end(fence: _Fence, lines: list[str], first: int, language: str) -> tuple[int, int]:
    """The line that ends a fenced piece, and where to go on; past the last line if none does."""
    language = syntax(fence.info.split()[0] if fence.info else "", language)
    bounds = _bounds(fence, lines, first)
    end, following = next(bounds, (len(lines), len(lines)))
    if is_open("\n".join(lines[first:end]), language):
        for later, after in islice(bounds, 8):
            if after > later and is_closed("\n".join(lines[first:later]), language):
                return later, after
    if end == len(lines):  # perhaps it is at the end of a line
        glued = (i for i in range(first, end) if lines[i].rstrip().endswith(fence.run))
        end = next(glued, end)
        following = end + 1
    return end, following


def _bounds(fence: _Fence, lines: list[str], first: int) -> Iterator[tuple[int, int]]:
    """Each line that may end a fenced piece, and where to go on then."""
    for number in range(first, len(lines)):
        found = _FENCE.fullmatch(lines[number])
        if found is None:
            continue
        if found["info"].strip():
            if len(found["run"]) >= len(fence.run):
                yield number, number
        elif found["run"].startswith(fence.run) and len(found["indent"]) <= fence.indent + 3:
            yield number, number + 1


def _outdented(line: str, indent: int) -> str:
    blank = len(line) - len(line.lstrip(" \t"))
    return line[min(indent, blank) :]


def _code_in(info: str) -> tuple[str, list[str]]:
    """Splits off code that stands on the line of the fence."""
    found = _INFO_CODE.fullmatch(info)
    return (found["name"], [found["code"]]) if found else (info, [])
