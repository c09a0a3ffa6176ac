"""Copying of runs between stores: merging them, and keeping what is whole of a damaged one."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from maxcode.errors import JournalError
from maxcode.journal.events import (
    Answered,
    Event,
    Proposed,
    Reduced,
    Requested,
    RunStarted,
    VariantEvaluated,
)
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.state import RunState
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

    Each run is copied whole or not at all, with its id, times and contents; merging again does the
    rest. A run continued differently in both stores stays as it is. Raises
    :class:`~maxcode.errors.JournalError` for a run being written to ``target``.
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
            tables = (events, programs, texts, answers)
            for table in tables if theirs else (runs, *tables):
                column = table.c.id if table is runs else table.c.run
                held = writing.execute(sa.select(*table.primary_key).where(column == run_id))
                known = {tuple(row) for row in held}
                _copy_rows(reading, writing, table, sa.select(table).where(column == run_id), known)
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


def _copy_rows(
    reading: sa.Connection,
    writing: sa.Connection,
    table: sa.Table,
    query: sa.Select[Any],
    left_out: Container[tuple[object, ...]] = (),
) -> None:
    """Insert the rows of a query of this table, but for some by their primary key."""
    key = [column.name for column in table.primary_key]
    found = reading.execute(query, execution_options=_IN_PARTS).mappings()
    for part in found.partitions():
        new = [dict(row) for row in part if tuple(row[name] for name in key) not in left_out]
        if new:
            writing.execute(sa.insert(table), new)


# -- what is whole of a damaged store ------------------------------------------------------------


@dataclass
class Examined:
    """A run read as a whole; ``events`` counts the events before the first damaged event.

    ``problems`` describe all faults, and are empty of a whole run.
    """

    run_id: str
    events: int = 0
    problems: list[str] = field(default_factory=list)


def examine(journal: Journal) -> Iterator[Examined]:
    """Read every event of every run with its programs and texts, oldest run first.

    Raises :class:`~maxcode.errors.JournalError` only where the list of runs cannot be read.
    """
    for run_id in reversed(journal.run_ids()):
        found = Examined(run_id)
        try:
            for problem in _read(RunLog(journal.store, run_id)):
                if problem:
                    found.problems.append(problem)
                else:
                    found.events += 1
        except JournalError as error:
            found.problems.append(str(error))
        yield found


def _read(log: RunLog) -> Iterator[str]:
    """Read a run: an empty text for each event, and the problem of each damaged text.

    Raises :class:`~maxcode.errors.JournalError` at the first event that is damaged or does not fit,
    or names a damaged program.
    """
    state, known = RunState(log), set[str]()
    for recorded in log.events():
        for digest in _programs(recorded.event):
            log.check_program(digest)
        state.apply(recorded)
        yield ""
        for digest in set(_texts(recorded.event)) - known:
            known.add(digest)
            try:
                log.text(digest)
            except JournalError as error:
                yield f"{error} (event {recorded.seq})"


def repair(source: Journal, target: Journal) -> Iterator[Examined]:
    """Copy the whole events of every run into another store; nothing of ``source`` is changed.

    Of each run these are the events before the first damaged event, with all programs and texts.
    Ids, times and contents stay. The outcome is given for each run; a run without a whole event is
    left out.
    """
    held = set(target.run_ids())
    for found in examine(source):
        if found.run_id in held:
            found.events = 0
            found.problems.append(f"{target.store.where} holds a run of that id; not copied")
        elif found.events:
            with source.store.transaction() as reading, target.store.transaction() as writing:
                listed = sa.select(runs).where(runs.c.id == found.run_id)
                _copy_rows(reading, writing, runs, listed)
                for table in (events, programs, texts, answers):
                    whole = sa.select(table).where(table.c.run == found.run_id)
                    if table in (events, answers):
                        whole = whole.where(table.c.seq < found.events)
                    _copy_rows(reading, writing, table, whole)
        yield found


def _programs(event: Event) -> list[str]:
    """Digests of the programs first named by an event."""
    match event:
        case RunStarted():
            return [event.baseline]
        case Proposed():
            return [one.program for one in event.proposals if one.program]
        case VariantEvaluated() | Reduced():
            return [event.program] if event.program else []
    return []


def _texts(event: Event) -> list[str]:
    match event:
        case Answered():
            return [event.prompt, event.text]
        case Requested():
            return [event.prompt]
        case Proposed():
            return [text for one in event.proposals for text in (one.prompt, one.answer)]
    return []
