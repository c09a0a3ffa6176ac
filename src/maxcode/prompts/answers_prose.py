"""What an answer says besides its code: the summary, and thoughts to be passed over."""

from __future__ import annotations

import re

_SUMMARY = re.compile(
    r"[\s#*_>\-]*+summary\b(?: of (?:the )?changes?)?[\s*_]*+(:?)[\s*_]*+(.*)", re.IGNORECASE
)
_LONGEST = 400
_THOUGHT = re.compile(r"^(?![ \t]*+(?://|#|/\*)).*</think>", re.MULTILINE)  # in no comment


def after_thoughts(text: str) -> str:
    """The text after a model's thoughts; nothing if it never stops thinking."""
    *_, end = [0, *(found.end() for found in _THOUGHT.finditer(text))]
    return "" if not end and text.lstrip().startswith("<think>") else text[end:]


def summary_in(prose: str) -> str:
    """The paragraph that begins with "Summary:", or follows that heading, in one line."""
    lines = prose.split("\n")
    for number, line in enumerate(lines):
        found = _SUMMARY.fullmatch(line[: 4 * _LONGEST])
        if not found or not (found[1] or line.lstrip().startswith(("#", "*"))):
            continue
        words: list[str] = []
        for text in [found[2], *lines[number + 1 :]]:
            over = not text.strip() or text.startswith(("<", "#")) or len(words) > 100
            if words and over:
                break
            words += text[:_LONGEST].split()
        return " ".join(words).strip("*_ ")[:_LONGEST]
    return ""
