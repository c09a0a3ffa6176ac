"""Copying of runs between stores: merging them, and keeping what is whole of a damaged one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

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
            _read(RunLog(journal.store, run_id), found)
        except JournalError as error:
            found.problems.append(str(error))
        yield found


def _read(log: RunLog, found: Examined) -> None:
    """Read a run up to its first event that is damaged, or names a damaged program."""
    state, known = RunState(log), set[str]()
    for recorded in log.events():
        for digest in _programs(recorded.event):
            log.check_program(digest)
        state.apply(recorded)
        found.events += 1
        for digest in set(_texts(recorded.event)) - known:
            known.add(digest)
            try:
                log.text(digest)
            except JournalError as error:
                found.problems.append(f"{error} (event {recorded.seq})")


def repair(source: Journal, target: Journal) -> Iterator[Examined]:
    """Copy the events before the first damaged event of every run, with its programs and texts.

    Ids, times and contents stay, and nothing of ``source`` is changed. The outcome is given for
    each run; a run without a whole event, or known to ``target``, is left out.
    """
    held = set(target.run_ids())
    for found in examine(source):
        if found.run_id in held:
            found.events = 0
            found.problems.append(f"{target.store.where} holds a run of that id; not copied")
        elif found.events:
            with source.store.transaction() as reading, target.store.transaction() as writing:
                _copy(reading, writing, found.run_id, found.events)
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
