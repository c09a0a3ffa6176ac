"""Copying of runs from one store to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from maxcode.errors import JournalError
from maxcode.journal.journal import Journal
from maxcode.journal.store import events, programs, runs, texts

Copied = Literal["new", "longer", "known", "forked"]
"""Whether a run was not there before, was there in part, has nothing to add, or went on in both."""

_PART = 1000  # rows in memory at a time: a database server would send all of them at once


@dataclass(frozen=True)
class Merged:
    """A run looked at, and the extent of its copy."""

    run_id: str
    copied: Copied


def merge(source: Journal, target: Journal) -> Iterator[Merged]:
    """Copy every run of ``source`` missing from ``target``, or shorter there.

    Each run is copied whole or not at all, with its id, times and contents; merging again does the
    rest. A run continued differently in both stores stays as it is. Raises
    :class:`~maxcode.errors.JournalError` for a run being written to ``target``.
    """
    for run_id in reversed(source.run_ids()):
        yield Merged(run_id, _merge_run(source, target, run_id))


def _merge_run(source: Journal, target: Journal, run_id: str) -> Copied:
    try:
        with source.store.transaction() as reading, target.store.transaction() as writing:
            ours, theirs = (_count(connection, run_id) for connection in (reading, writing))
            shared = min(ours, theirs)
            if _event(reading, run_id, shared - 1) != _event(writing, run_id, shared - 1):
                return "forked"
            if shared == ours:
                return "known"
            _copy(reading, writing, run_id, ours)
    except IntegrityError as error:
        raise JournalError(
            f"run {run_id}: another process is writing it to {target.store.where}; let that finish"
        ) from error
    return "longer" if theirs else "new"


def _count(connection: sa.Connection, run_id: str) -> int:
    query = sa.select(sa.func.count()).where(events.c.run == run_id)
    return int(connection.execute(query).scalar_one())


def _event(connection: sa.Connection, run_id: str, seq: int) -> tuple[object, ...] | None:
    """An event and its checksum, which is of all events before it, too."""
    here = events.c.run == run_id, events.c.seq == seq
    row = connection.execute(sa.select(events.c.body, events.c.chain).where(*here)).one_or_none()
    return None if row is None else tuple(row)


def _copy(reading: sa.Connection, writing: sa.Connection, run_id: str, most: int) -> None:
    """Insert the missing rows of a run with its first ``most`` events."""
    for table in (runs, events, programs, texts):
        own = (table.c.id if table is runs else table.c.run) == run_id
        wanted = own & (events.c.seq < most) if table is events else own
        key = list(table.primary_key)
        known = {tuple(row) for row in writing.execute(sa.select(*key).where(own))}
        found = reading.execute(
            sa.select(table).where(wanted), execution_options={"yield_per": _PART}
        )
        for part in found.mappings().partitions():
            rows = [dict(row) for row in part if tuple(row[one.name] for one in key) not in known]
            if rows:
                writing.execute(sa.insert(table), rows)
