"""A page as a notebook: its code blocks in order, one cell each.

What a page asks of whoever runs it stands in comments above a block, where readers of the site do
not see it::

    <!-- not run: it takes a GPU -->      checked as far as can be: Python compiles, and the
                                          options of maxcode's commands exist
    <!-- dry run: it takes hours -->      maxcode's searches are run with --dry-run
    <!-- setup                            bash that makes what the page takes for granted
    echo 42 > inputs/1.txt
    -->

A block with a title, as in ```python title="mine.py"`, is written to that file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for path in [
        ROOT / "README.md",
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/**/README.md"),
    ]
    if "```" in path.read_text()
)

LANGUAGES = {"bash", "python", "toml", "json", "cpp", "jinja", "text"}

_BLOCK = re.compile(
    r"""^(?P<notes>(?:[ ]*<!--(?![ ]setup\n)(?:(?!-->).)*-->\s*?\n)*)
        (?P<indent>[ ]*)(?P<fence>```+)[ ]*(?P<language>\w*)(?P<options>[^\n]*)\n
        (?P<code>.*?)^(?P=indent)(?P=fence)[ ]*$
        |^<!--[ ]setup\n(?P<setup>.*?)^-->""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_NOTE = re.compile(r"<!-- (not run|dry run): (.+?) -->", re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
_COMMAND = re.compile(r"(?:^|&&|[|;])[ ]*((?:[A-Z_]+=\S+ )*(?:\S*/)?maxcode .*)", re.MULTILINE)
_ENDS = re.compile(r"\d*[<>|&;].*")
_FENCES = re.compile(r"^[ >]*(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A code block. ``line`` is that of its first line of code; ``mode`` says how it is run."""

    line: int
    language: str
    code: str
    title: str = ""
    mode: str = "run"
    reason: str = ""


def blocks(text: str) -> Iterator[Block]:
    """The code blocks of a page."""
    for match in _BLOCK.finditer(text):
        if match["setup"] is not None:
            line = text.count("\n", 0, match.start("setup")) + 1
            yield Block(line, "bash", match["setup"], mode="setup")
            continue
        note, title = _NOTE.search(match["notes"]), _TITLE.search(match["options"])
        yield Block(
            line=text.count("\n", 0, match.start("code")) + 1,
            language=match["language"],
            code=dedent(match["code"]),
            title=title[1] if title else "",
            mode=note[1] if note else "run",
            reason=note[2] if note else "",
        )


def faults(text: str) -> list[str]:
    """Faults of a page for which its blocks would not be run as meant."""
    found = [block for block in blocks(text) if block.mode != "setup"]
    wrong = [
        f"line {block.line} has no language that is known: {block.language!r}"
        for block in found
        if block.language not in LANGUAGES
    ]
    fences = len(_FENCES.findall(text))
    return wrong if fences == 2 * len(found) else [*wrong, f"{fences} fences, {len(found)} blocks"]


def as_notebook(text: str, name: str) -> nbformat.NotebookNode:
    """The blocks of a page as cells, to be run from top to bottom."""
    cells = []
    for block in blocks(text):
        where = f"# {name}, line {block.line}\n"
        if source := _cell(block, where):
            cells.append(new_code_cell(source))  # type: ignore[no-untyped-call]
    return new_notebook(cells=cells)  # type: ignore[no-untyped-call, no-any-return]


def _cell(block: Block, where: str) -> str:
    if block.title:
        return (
            f"{where}from pathlib import Path\n_file = Path({block.title!r})\n"
            f"_file.parent.mkdir(parents=True, exist_ok=True)\n_file.write_text({block.code!r});"
        )
    if block.mode == "not run":
        return ""
    if block.language == "python":
        return where + block.code
    if block.language == "bash":
        how = "export DOCS_DRY_RUN=1\n" if block.mode == "dry run" else ""
        return f"%%script bash -euo pipefail\n{where}{how}{block.code}"
    return ""


def commands(code: str) -> Iterator[list[str]]:
    """The words of maxcode's commands, up to where a shell redirects or goes on to another."""
    for command in _COMMAND.findall(code.replace("\\\n", " ")):
        words = shlex.split(command, comments=True)
        ends = [number for number, word in enumerate(words) if _ENDS.fullmatch(word)]
        yield words[: min(ends, default=None)]
