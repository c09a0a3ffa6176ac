"""What rules add about the lines they apply to; each gives "" where there is nothing to add."""

from __future__ import annotations

import re
from collections.abc import Sequence

from maxcode.critics.code import (
    bare,
    by_value,
    lambda_by_value,
    line_of,
    loops_around,
    repeated_lookups,
    walks_down,
)
from maxcode.critics.rule import Context
from maxcode.evaluation import HotLine


def copied(context: Context, lines: Sequence[HotLine]) -> str:
    """What the line copies into parameters and loop variables."""
    return by_value(context.text(lines[0].path), lines[0].code)


def compared_by_value(context: Context, lines: Sequence[HotLine]) -> str:
    """What the lambda on the line takes by value."""
    copied_ = lambda_by_value(context.text(lines[0].path), lines[0].code)
    return f"the lambda takes {copied_} by value" if copied_ else ""


def down_a_column(context: Context, lines: Sequence[HotLine]) -> str:
    """The table that the line walks through against the order in memory."""
    found = walks_down(context.text(lines[0].path), lines[0].line)
    return f"`{found}` jumps by a whole row each time round the innermost loop" if found else ""


def over_a_list(context: Context, lines: Sequence[HotLine]) -> str:
    """The std::list that the innermost loop around the line goes over."""
    text = bare(context.text(lines[0].path))
    for loop in loops_around(text, lines[0].line)[-1:]:
        walked = re.search(r"\bfor\b.*:\s*(\w+)\s*\)", line_of(text, loop))
        if walked and re.search(rf"\blist\s*<[^;]{{0,200}}>\s*&?\s*{walked[1]}\b", text):
            return f"`{walked[1]}` is a std::list"
    return ""


def called_again(context: Context, lines: Sequence[HotLine]) -> str:
    """How often the line's function is called, if it calls itself."""
    function = context.recursive(lines[0])
    return f"`{function.name}` is called {function.calls:,} times" if function else ""


def looked_up(_: Context, lines: Sequence[HotLine]) -> str:
    """A key that is looked up several times."""
    return repeated_lookups(line.code for line in lines)


def in_loops(context: Context, lines: Sequence[HotLine]) -> str:
    """The nested loops that the line is in."""
    loops = loops_around(context.text(lines[0].path), lines[0].line)
    where = ", ".join(map(str, loops))
    return f"inside {len(loops)} nested loops (lines {where})" if len(loops) > 1 else ""
