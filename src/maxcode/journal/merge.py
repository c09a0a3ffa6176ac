"""Merging of stores: the runs of a store are copied into another, each as a whole."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from maxcode.errors import JournalError
from maxcode.journal.journal import Journal
from maxcode.journal.store import answers, events, programs, runs, texts

Copied = Literal["new", "longer", "known", "forked"]
"""Whether a run was not there before, was there in part, has nothing to add, or went on in both."""

_IN_PARTS = {"yield_per": 1000}
"""Rows in memory at a time: a database server would send all of them at once."""


@dataclass(frozen=True)
class Merged:
    """A run looked at, and the extent of its copy."""

    run_id: str
    copied: Copied


def merge(source: Journal, target: Journal) -> Iterator[Merged]:
    """Copy every run of ``source`` missing from ``target``, or shorter there.

    A run is copied in one transaction, so an interrupted merge leaves each whole or absent, and
    merging again does the rest. Run ids, times and contents stay. A run continued in both stores,
    in different ways, stays in each as it is. Raises :class:`~maxcode.errors.JournalError` for a
    run being written to ``target`` by another process.
    """
    for run_id in reversed(source.run_ids()):
        yield Merged(run_id, _merge_run(source, target, run_id))


def _merge_run(source: Journal, target: Journal, run_id: str) -> Copied:
    """Read the run as of one moment, in parts, and write the missing rows."""
    try:
        with source.store.transaction() as reading, target.store.transaction() as writing:
            ours, theirs = (_count(connection, run_id) for connection in (reading, writing))
            shared = min(ours, theirs)
            bodies = (_bodies(connection, run_id, shared) for connection in (reading, writing))
            if any(one != other for one, other in zip(*bodies, strict=True)):
                return "forked"
            if shared == ours:
                return "known"
            if not theirs:
                run = reading.execute(sa.select(runs).where(runs.c.id == run_id)).mappings().one()
                writing.execute(sa.insert(runs), [dict(run)])
            later = sa.select(events).where(events.c.run == run_id).order_by(events.c.seq)
            copy_rows(reading, writing, events, later.offset(shared))
            for table in (programs, texts, answers):
                held = sa.select(*table.primary_key).where(table.c.run == run_id)
                known = {tuple(row) for row in writing.execute(held)}
                rows = sa.select(table).where(table.c.run == run_id)
                copy_rows(reading, writing, table, rows, known)
    except IntegrityError as error:
        raise JournalError(
            f"run {run_id}: another process is writing it to {target.store.where}; let that finish"
        ) from error
    return "longer" if theirs else "new"


def _count(connection: sa.Connection, run_id: str) -> int:
    query = sa.select(sa.func.count()).where(events.c.run == run_id)
    return int(connection.execute(query).scalar_one())


def _bodies(connection: sa.Connection, run_id: str, count: int) -> Iterator[object]:
    query = sa.select(events.c.body).where(events.c.run == run_id).order_by(events.c.seq)
    return connection.execute(query.limit(count), execution_options=_IN_PARTS).scalars()


def copy_rows(
    reading: sa.Connection,
    writing: sa.Connection,
    table: sa.Table,
    query: sa.Select[Any],
    known: Container[tuple[object, ...]] = (),
) -> None:
    """Insert the rows of a query of this table, but for rows known by their primary key."""
    key = [column.name for column in table.primary_key]
    found = reading.execute(query, execution_options=_IN_PARTS).mappings()
    for part in found.partitions():
        new = [dict(row) for row in part if tuple(row[name] for name in key) not in known]
        if new:
            writing.execute(sa.insert(table), new)
