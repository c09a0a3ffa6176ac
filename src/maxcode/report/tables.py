"""Runs as tables: JSON lines or CSV, for whatever reads such files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import fields
from math import isfinite
from pathlib import Path
from typing import Any, get_args, get_type_hints

from maxcode.errors import InputError, JournalError
from maxcode.files import table_file
from maxcode.journal.journal import RunLog
from maxcode.report.history import History
from maxcode.report.rows import CallRow, Row, RunRow, StepRow, rows
from maxcode.system import ScratchFolder

TABLES: dict[str, type[Row]] = {"runs": RunRow, "steps": StepRow, "calls": CallRow}


def columns(table: type[Row]) -> dict[str, type]:
    """The columns of a table with their types: str, int, float or bool. Any may be null."""
    hints = get_type_hints(table)
    return {field.name: _kind(hints[field.name]) for field in fields(table)}


def _kind(hint: Any) -> type:
    """The type, or of ``T | None`` the T."""
    found: type = (*get_args(hint), hint)[0]
    return found


FORMATS = ("jsonl", "csv")
"""Formats of the tables."""


def export(
    logs: Iterable[RunLog],
    out: str | Path,
    to: str = "jsonl",
    *,
    texts: bool = False,
    force: bool = False,
    unreadable: Callable[[JournalError], None] | None = None,
) -> dict[str, int]:
    """Write runs as the tables of docs/manual/export.md; gives the number of rows of each.

    The folder ``out`` is made if need be and gets a file for each table, in the format ``to``. All
    of them appear once all runs were read, or none does. A single run at a time is in memory. With
    ``texts`` the columns of prompts, answers and programs are filled. An unreadable run is left
    out, and ``unreadable`` called, if given. Raises :class:`InputError` for an unknown format, for
    files of an earlier export without ``force``, and for an unwritable folder;
    :class:`~maxcode.errors.JournalError` for an unreadable run.
    """
    places = {table: Path(out) / f"{table}.{to}" for table in TABLES}
    check_export(out, to, force=force)
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
        with ScratchFolder(".maxcode-export-", Path(out)) as spare:
            made = {table: spare / place.name for table, place in places.items()}
            counts = _write(logs, made, unreadable, texts=texts)
            for table, place in places.items():
                made[table].replace(place)
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from error
    return counts


def check_export(out: str | Path, to: str, *, force: bool) -> None:
    """Raise the errors of :func:`export` known before any run is read."""
    if to not in FORMATS:
        raise InputError(f"unknown format {to!r}; known: {', '.join(FORMATS)}")
    if Path(out).exists() and not Path(out).is_dir():
        raise InputError(f"{out} is a file; name a folder")
    there = [name for table in TABLES if Path(out, name := f"{table}.{to}").exists()]
    if there and not force:
        raise InputError(f"{out} holds {there[0]} already; replace it with --force")


def _write(
    logs: Iterable[RunLog],
    paths: Mapping[str, Path],
    unreadable: Callable[[JournalError], None] | None,
    *,
    texts: bool,
) -> dict[str, int]:
    counts = Counter(dict.fromkeys(paths, 0))
    with ExitStack() as stack:
        kinds = {row: columns(row) for row in TABLES.values()}
        names = {row: table for table, row in TABLES.items()}
        files = {
            row: stack.enter_context(table_file(paths[names[row]], kinds[row])) for row in kinds
        }
        for log in logs:
            try:
                history = History.of(log)
            except JournalError as error:
                if unreadable is None:
                    raise
                unreadable(error)
                continue
            for row in rows(history, texts=texts):
                kind = type(row)
                files[kind]({name: _cell(row, name, kinds[kind][name]) for name in kinds[kind]})
                counts[names[kind]] += 1
    return dict(counts)


def _cell(row: Any, name: str, kind: type) -> Any:
    """A value with the same meaning in every format.

    An empty text is null, as CSV has no difference, and so is a number that JSON lacks. Half a
    surrogate pair, which UTF-8 does not have, becomes U+FFFD.
    """
    value = getattr(row, name)
    if value is None or value == "" or (kind is float and not isfinite(value)):
        return None
    if kind is str and not value.isascii():
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return kind(value)
