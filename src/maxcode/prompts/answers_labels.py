"""What an answer says of a piece of code: which file it is, and whether it is the answer at all."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from maxcode.prompts.answers_blocks import Block
from maxcode.prompts.answers_code import likeness
from maxcode.prompts.answers_paths import mentioned, named, resolved

_REMARK = re.compile(r"\s[-\N{EN DASH}\N{EM DASH}]\s")
_SURELY_BESIDE = re.compile(
    r"\b(?:for comparison|to (?:compare|verify)|benchmarks?|harness|stress[- ]test\w*"
    r"|fall[- ]?back|check (?:it|this|that|against|correctness))\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:brute[- ]?force|na[i\N{LATIN SMALL LETTER I WITH DIAERESIS}]ve|original|old|older"
    r"|previous|slow|reference|baseline|alternative\w*|simpler|verif\w+|tests?|tester|generator"
    r"|started (?:from|with))\b"
    r"|^\W*(?:before|input)\b",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\b(?:fast\w*|optimi[sz]ed|improved|better|final|complete|full|whole|entire|new|updated"
    r"|corrected|fixed|rewritten|solution|answer|result|pass\w*|replac\w+|instead|rather|unlike"
    r"|avoid\w*|remov\w+|than|version \d)\b",
    re.IGNORECASE,
)


def label(block: Block, files: Mapping[str, str]) -> tuple[str, str]:
    """The one of ``files`` that a piece is labelled with, and the label if it is another.

    Labels are in the fence, on a line above, or on the first line of the code; or the sentence
    above speaks of a file.
    """
    if any(own := stated(block, files)):
        return own
    first = block.code.strip().split("\n", 1)[0]
    if path := resolved(named(_REMARK.split(first)[0]), files):
        return path, ""
    known = mentioned(block.above, files)
    return max(known, key=lambda path: likeness(block.code, files[path]), default=""), named(first)


def stated(block: Block, files: Collection[str]) -> tuple[str, str]:
    """The same for a label in the fence, or alone on the line above; ("", "") if there is none."""
    words = block.info.replace(":", " ").split()
    for name in filter(None, [*map(named, words), named(block.above)]):
        path = resolved(name, files)
        return path, "" if path else name
    return "", ""


def is_beside(block: Block) -> bool:
    """Whether a piece is presented as something besides the answer.

    Such as a slow program to check it with, a benchmark, what was there before, a fallback. The
    line above tells, or else the heading.
    """
    for words in (block.above, block.heading):
        if _SURELY_BESIDE.search(words):
            return True
        if _RESULT.search(words):
            return False
        if _BESIDE.search(words):
            return True
    return False
