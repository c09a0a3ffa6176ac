"""Where output goes: standard output for results, standard error for everything said beside."""

from __future__ import annotations

import os
import sys
from itertools import groupby
from typing import IO

from rich.console import Console, Group, RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

_WIDTH_OF_FILES = 120  # in a pipe or a file there is no screen to fit
_LONG = 24  # added lines in a row
_KEPT = 4  # of those


def standard_output() -> Console:
    """For what the user asked for."""
    return _console(sys.stdout)


def standard_error() -> Console:
    """For what else there is to say."""
    return _console(sys.stderr)


def facts() -> Table:
    """An empty table of two columns: a short name, and what there is to say of it."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True, min_width=11)
    table.add_column(overflow="fold")
    return table


def coloured_diff(console: Console, diff: str) -> RenderableType:
    """A unified diff in colours that suit any background; plain text where nobody looks."""
    if not console.is_terminal:
        return Text(diff.rstrip("\n"), overflow="ignore", no_wrap=True)
    return Syntax(
        diff.rstrip("\n"), "diff", theme="ansi_dark", background_color="default", word_wrap=True
    )


def folded(diff: str) -> str:
    """The diff without most of what is added in long pieces, such as a class put before `main`."""
    lines: list[str] = []
    for added, run in groupby(diff.split("\n"), lambda line: line.startswith("+")):
        piece = list(run)
        if added and len(piece) > _LONG:
            piece[_KEPT:] = [f"  ... {len(piece) - _KEPT} more added lines ..."]
        lines += piece
    return "\n".join(lines)


def titled(title: str, *parts: RenderableType) -> Group:
    """Something under a heading, with an empty line before it."""
    return Group("", Text(title, style="bold"), *parts)


def _console(file: IO[str]) -> Console:
    fixed = None if file.isatty() or "COLUMNS" in os.environ else _WIDTH_OF_FILES
    return Console(file=file, width=fixed, highlight=False, markup=False, emoji=False)


def figure_table(*names: str) -> Table:
    """A table without lines: names on the left, figures behind them on the right."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    first, *others = names
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table
