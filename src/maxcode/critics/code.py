"""What can be read off C++ code without parsing it; what is missed costs a hint, no more."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

CONTAINER = r"\b(?:vector|string|map|set|list|deque|array|queue|stack|bitset|multimap|multiset)\b"
_ASIDE = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL
)
_MARK = re.compile(r"\b(?:for|while|do)\b|[(){};\n]")
_DEFINITION = re.compile(r"\b(\w+)\s*\(([^(){};]{0,500})\)\s*(?:const\s*)?(?:noexcept\s*)?\{")
_ALIAS = re.compile(
    rf"\btypedef\b[^;]{{0,300}}{CONTAINER}[^;]{{0,300}}?(\w+)\s*;"
    rf"|\busing\s+(\w+)\s*=[^;]{{0,300}}{CONTAINER}"
)
_LOOKUP = re.compile(
    r"\b(\w+)(?:\[|\.(?:find|count|at|contains|insert|erase)\()\s*([a-zA-Z_][\w.>-]*)\s*[\])]"
)
_COUNTER = re.compile(r"\bfor\s*\(\s*(?:[\w:]+\s+)*(\w+)\s*(?:=|\{)")
_TWO_INDICES = re.compile(r"\b(\w+)\s*\[([^\[\]]+)\]\s*\[([^\[\]]+)\]")
_LAMBDA = re.compile(r"\[[^\[\]]*\]\s*\(([^()]*)\)")
_CALLED = re.compile(r"\b(\w+)\s*\(")


@lru_cache(maxsize=64)
def bare(code: str) -> str:
    """The code without comments, and with empty literals; every line stays where it is."""

    def emptied(found: re.Match[str]) -> str:
        text = found[0]
        return "\n" * text.count("\n") + (text[0] * 2 if text[0] in "\"'" else "")

    return _ASIDE.sub(emptied, code)


def line_of(code: str, number: int) -> str:
    """That line, counted from 1, without white space around it; "" if there is no such line."""
    lines = code.split("\n")
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def shortened(code: str, most: int = 70) -> str:
    """Code in one line, cut where it is long."""
    code = " ".join(code.split())
    return code if len(code) <= most else code[: most - 3] + "..."


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def loops_around(code: str, line: int) -> tuple[int, ...]:
    """The lines of the loops that a line belongs to, the outermost first, itself if it is one."""
    scopes: list[tuple[tuple[int, ...], int]] = []  # for each open brace: its loops, round brackets
    waiting: tuple[int, ...] = ()  # loops whose body is still to come, or is a single statement
    depth, at = 0, 1
    most: tuple[int, ...] = ()
    for mark in _MARK.findall(bare(code)):
        if mark == "\n":
            at += 1
        elif mark in "()":
            depth += 1 if mark == "(" else -1
        elif mark == "{":
            scopes.append((() if depth else waiting, depth))
            waiting, depth = (waiting if depth else ()), 0
        elif mark == "}":
            _, depth = scopes.pop() if scopes else ((), 0)
        elif mark == ";":
            waiting = waiting if depth else ()
        else:
            waiting += (at,)
        if at > line:
            break
        if at == line:
            around = tuple(loop for loops, _ in scopes for loop in loops) + waiting
            most = max(most, around, key=len)
    return most


def by_value(code: str, line: str) -> str:
    """Which containers the line copies into a function's parameters or a loop's variable."""
    text = bare(code)
    heavy = _heavy(text)
    called = set(_CALLED.findall(line))
    copied = [
        f"{name} takes {_listed(kept)} by value"
        for name, parameters in _DEFINITION.findall(text)
        if name in called and (kept := list(_copied(parameters, heavy)))
    ]
    if re.search(r"\bfor\s*\(\s*(const\s+)?[\w:<>, ]+\s\w+\s*:[^:]", line):
        copied.append("the loop's variable is a copy of each element")
    return "; ".join(dict.fromkeys(copied))


def lambda_by_value(code: str, line: str) -> str:
    """The containers that a lambda on that line takes by value."""
    heavy = _heavy(bare(code))
    found = (list(_copied(parameters, heavy)) for parameters in _LAMBDA.findall(line))
    return next((_listed(kept) for kept in found if kept), "")


def walks_down(code: str, number: int) -> str:
    """A table on that line whose first index, not its last, is what the innermost loop counts."""
    loops = loops_around(code, number)
    counter = _COUNTER.search(line_of(bare(code), loops[-1])) if len(loops) > 1 else None
    if counter is None:
        return ""
    inner = re.compile(rf"\b{counter[1]}\b")
    for found in _TWO_INDICES.finditer(line_of(bare(code), number)):
        if inner.search(found[2]) and not inner.search(found[3]):
            return found[0]
    return ""


def repeated_lookups(lines: Iterable[str]) -> str:
    """An entry, as in `counts[word]`, that these lines look up more than once."""
    counted = Counter(pair for line in lines for pair in _LOOKUP.findall(bare(line)))
    container, key = max(counted, key=counted.__getitem__, default=("", ""))
    often = counted[container, key]
    return f"`{key}` is looked up in `{container}` {often} times" if often > 1 else ""


def _heavy(text: str) -> re.Pattern[str]:
    """What is dear to copy: containers, and the program's own names for them."""
    aliases = [rf"\b{one or other}\b" for one, other in _ALIAS.findall(text)]
    return re.compile("|".join([CONTAINER, *aliases]))


def _listed(code: Iterable[str]) -> str:
    return " and ".join(f"`{one}`" for one in code)


def _copied(parameters: str, heavy: re.Pattern[str]) -> Iterator[str]:
    """Parameters, split at commas outside <>, that are containers and no references."""
    depth, one = 0, ""
    for character in parameters + ",":
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth <= 0:
            if heavy.search(one) and not re.search(r"[&*]", one):
                yield " ".join(one.split())
            one = ""
        else:
            one += character
