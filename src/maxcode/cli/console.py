"""Output: results on standard output, messages on standard error; and files for programs."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import IO, Any, TypeVar

import typer
from pydantic import JsonValue
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.progress import track
from rich.segment import Segment
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from maxcode.errors import InputError
from maxcode.redaction import without_password
from maxcode.sources import to_bytes
from maxcode.text import clock, plain, unseen

_T = TypeVar("_T")

PATIENCE = 30.0
"""Seconds without a word after which the work in progress is named again."""
STOPPING = "stopping after what is under way; once more to leave at once"
_WIDTH_OF_FILES = 120  # in a pipe or a file there is no screen to fit


def standard_output() -> Console:
    """The console for results."""
    return _console(sys.stdout)


def standard_error() -> Console:
    """The console for messages."""
    return _console(sys.stderr)


def results(json: bool) -> Console:
    """The console for results in words: standard error where a JSON object is printed, too."""
    return standard_error() if json else standard_output()


def say(message: str | Text, style: str | None = None) -> None:
    """Print a message, which the terminal wraps."""
    _said.update(text=str(message), at=time.monotonic())
    standard_error().print(message, style=style, soft_wrap=True)


_said: dict[str, Any] = {}  # the last message and a wait, and when they were told


def announce_stop() -> None:
    """Print :data:`STOPPING`. Safe in a signal handler."""
    os.write(2, f"{STOPPING}\n".encode())


@contextmanager
def every(seconds: float, look: Callable[[], None]) -> Iterator[None]:
    """While entered, call a function now and then, in a thread."""
    over = Event()

    def run() -> None:
        while not over.wait(seconds):
            look()

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def waiting(text: str) -> None:
    """Wait for the reason given, which :func:`patient` may say; empty when it is over."""
    _said["wait"] = text


@contextmanager
def patient(work: str) -> Iterator[None]:
    """While entered, say for how long there was nothing to say: a wait, or the last message.

    Of nameless work, which has a view of its own, only waits are told.
    """
    _said.update(text=work, at=time.monotonic(), told=time.monotonic(), wait="")

    def look() -> None:
        now, text = time.monotonic(), _said["wait"] or (work and _said["text"])
        if text and now - max(_said["told"], _said["at"]) >= PATIENCE:
            _said["told"] = now
            line = f"{text}: {clock(now - _said['at'])} so far"
            standard_error().print(line, soft_wrap=True)

    with every(1.0, look):
        yield


class _PlainConsole(Console):
    """A console with visible control characters, as by :func:`maxcode.text.plain`."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=plain(segment.text))

    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(plain(text), **how)  # rich drops some controls


def _console(file: IO[str]) -> Console:
    fixed = None if file.isatty() or "COLUMNS" in os.environ else _WIDTH_OF_FILES
    return _PlainConsole(file=file, width=fixed, highlight=False, markup=False, emoji=False)


def print_document(document: Mapping[str, JsonValue]) -> None:
    """Print it as JSON on standard output."""
    typer.echo(as_json(document))


def as_json(document: Mapping[str, JsonValue]) -> str:
    """Indented JSON in ASCII, so that no character of it is hidden."""
    return json.dumps(document, indent=2)


def tracked(items: Sequence[_T]) -> Iterable[_T]:
    """The given runs; a screen shows the number done."""
    console = standard_error()
    return track(items, "runs", console=console, transient=True, disable=not console.is_terminal)


def command(*words: object, store: str | None = None) -> str:
    """A command of maxcode, quoted for a shell; the store without its password."""
    where = ("--store", without_password(store)) if store else ()
    return shlex.join(["maxcode", *map(str, words), *where])


class _Table(Table):
    """A table without spaces at line ends."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        drawn = (
            one for one in super().__rich_console__(console, options) if isinstance(one, Segment)
        )
        for line in Segment.split_lines(drawn):
            text = "".join(segment.text for segment in line).rstrip()
            yield from Segment.adjust_line_length(line, cell_len(text), pad=False)
            yield Segment.line()


def facts(rows: Iterable[tuple[str, RenderableType]] = ()) -> Table:
    """A table of two columns: a short name, and its value."""
    table = plain_table(("", ""), rows, show_header=False, padding=(0, 2, 0, 0))
    name = table.columns[0]
    name.style, name.no_wrap, name.min_width = "dim", True, 8
    return table


def print_diff(console: Console, diff: str) -> None:
    """Print a unified diff: on a screen in colours for any background.

    Elsewhere `patch` can read it, to the byte; a message on standard error names characters
    invisible on a screen.
    """
    if console.is_terminal:
        shown = plain(diff).rstrip("\n")
        console.print(
            Syntax(shown, "diff", theme="ansi_dark", background_color="default", word_wrap=True)
        )
        return
    typer.echo(to_bytes(diff), nl=not diff.endswith("\n"))
    if hidden := unseen(diff):
        say(f"note: the diff holds characters that are not seen: {' '.join(hidden)}")


def print_gaps(console: Console, gaps: Sequence[str], of: str = "") -> None:
    """Print gaps in the checks of a task, a line for each."""
    for gap in gaps:
        console.print(Text(f"{of}little is compared: {gap}", "bold yellow"), soft_wrap=True)


def titled(title: str, *parts: RenderableType) -> Group:
    """Something under a heading, with an empty line before it."""
    return Group("", Text(title, style="bold"), *parts)


def plain_table(
    names: Iterable[str], rows: Iterable[Iterable[RenderableType]] = (), **how: Any
) -> Table:
    """A table without lines, with folding columns; ``how`` goes to rich."""
    table = _Table(box=None, pad_edge=False, header_style="dim", **how)
    for name in names:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def figure_table(names: Iterable[str], rows: Iterable[Iterable[RenderableType]] = ()) -> Table:
    """A table: names in the left column, figures in the others."""
    table = plain_table(names, rows)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def check_writable(path: Path) -> None:
    """Raise :class:`InputError` where nothing can be written at an absolute path."""
    nearest = next(place for place in (path, *path.parents) if place.exists())
    if not os.access(nearest, os.W_OK) or not (nearest.is_dir() or nearest == path):
        raise InputError(f"cannot write {path}: {nearest} may not be written; give another --out")


def check_token(name: str, token: str | None) -> None:
    """Raise :class:`InputError` for a weak token, or one unfit for an address."""
    if token is not None and not re.fullmatch("[A-Za-z0-9._~-]{8,}", token):
        raise InputError(f"{name} takes at least eight letters, digits or . _ ~ -")
