"""Putting stores together: the runs of one are copied into another, each as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from maxcode.errors import JournalError
from maxcode.journal.journal import Journal
from maxcode.journal.store import answers, events, programs, runs, texts

Copied = Literal["new", "longer", "known", "forked"]
"""Whether a run was not there before, was there in part, has nothing to add, or went on in both."""


@dataclass(frozen=True)
class Merged:
    """A run that was looked at, and what of it was copied."""

    run_id: str
    copied: Copied


def merge(source: Journal, target: Journal) -> Iterator[Merged]:
    """Copy every run of ``source`` that ``target`` does not hold, or holds less of.

    A run is copied in one transaction, so an interrupted merge leaves each whole or absent,
    and merging again does the rest. Run ids, times and contents stay. A run that both stores went
    on with, in different ways, stays in each as it is. Raises
    :class:`~maxcode.errors.JournalError` for a run that another process is writing to ``target``.
    """
    for run_id in reversed(source.run_ids()):
        yield Merged(run_id, _merge_run(source, target, run_id))


def _merge_run(source: Journal, target: Journal, run_id: str) -> Copied:
    """Read the run as it is at one moment, then write what is missing."""
    with source.store.transaction() as reading:
        run = reading.execute(sa.select(runs).where(runs.c.id == run_id)).mappings().one()
        ours = _bodies(reading, run_id)
        held = {
            table.name: [dict(row) for row in _rows(reading, table, run_id)]
            for table in (programs, texts, answers)
        }
    try:
        with target.store.transaction() as writing:
            theirs = _bodies(writing, run_id)
            shared = min(len(ours), len(theirs))
            if [row["body"] for row in ours[:shared]] != [row["body"] for row in theirs[:shared]]:
                return "forked"
            if shared == len(ours):
                return "known"
            if not theirs:
                writing.execute(sa.insert(runs), [dict(run)])
            writing.execute(sa.insert(events), ours[shared:])
            for table in (programs, texts, answers):
                _insert_new(writing, table, run_id, held[table.name])
    except IntegrityError as error:
        raise JournalError(
            f"run {run_id}: another process is writing it to {target.store.where}; let that finish"
        ) from error
    return "longer" if theirs else "new"


def _rows(connection: sa.Connection, table: sa.Table, run_id: str) -> sa.MappingResult:
    return connection.execute(sa.select(table).where(table.c.run == run_id)).mappings()


def _bodies(connection: sa.Connection, run_id: str) -> list[dict[str, object]]:
    query = sa.select(events).where(events.c.run == run_id).order_by(events.c.seq)
    return [dict(row) for row in connection.execute(query).mappings()]


def _insert_new(
    connection: sa.Connection, table: sa.Table, run_id: str, rows: list[dict[str, object]]
) -> None:
    """Those rows that are not there, by their primary key."""
    key = [column.name for column in table.primary_key]
    query = sa.select(*table.primary_key).where(table.c.run == run_id)
    known = {tuple(row) for row in connection.execute(query)}
    new = [row for row in rows if tuple(row[name] for name in key) not in known]
    if new:
        connection.execute(sa.insert(table), new)
