"""Examination of stores: which events of each run are whole; copies of them in a new store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import sqlalchemy as sa

from maxcode.errors import JournalError
from maxcode.journal.contents import is_digest
from maxcode.journal.events import (
    Answered,
    Event,
    Proposed,
    Reduced,
    Requested,
    RunStarted,
    VariantEvaluated,
)
from maxcode.journal.journal import Journal, RunLog, answer_rows
from maxcode.journal.merge import copy_rows
from maxcode.journal.state import RunState
from maxcode.journal.store import answers, events, leases, programs, runs, texts


@dataclass
class Examined:
    """A run read as a whole. ``events`` counts the events before the first damaged event.

    ``problems`` describe all faults, and are empty of a whole run. ``unchecked`` counts the events
    of versions of maxcode without checksums. ``damaged`` holds the digests of programs and texts,
    and ``answers`` the index of the answers in whole events.
    """

    run_id: str
    events: int = 0
    unchecked: int = 0
    problems: list[str] = field(default_factory=list)
    damaged: set[object] = field(default_factory=set)
    answers: list[dict[str, object]] = field(default_factory=list)


def examine(journal: Journal) -> Iterator[Examined]:
    """Read every event, program and text of every run, oldest run first.

    Raises :class:`~maxcode.errors.JournalError` only where the list of runs cannot be read.
    """
    for run_id in [*reversed(journal.run_ids()), *_orphans(journal)]:
        log, found = RunLog(journal.store, run_id), Examined(run_id)
        named = _read_events(log, found)
        found.problems += _missing_end(journal, log)
        _read_contents(journal, log, found, named)
        yield found


def file_problems(journal: Journal) -> list[str]:
    """Faults SQLite itself finds in its file; nothing of other databases."""
    try:
        with journal.store.transaction() as connection:
            if connection.dialect.name != "sqlite":
                return []
            found = connection.exec_driver_sql("PRAGMA quick_check(20)").scalars().all()
    except JournalError as error:
        return [str(error)]
    return [str(line) for line in found if line != "ok"]


def repair(source: Journal, target: Journal) -> Iterator[Examined]:
    """Copy the whole parts of every run into another store; nothing of ``source`` is changed.

    Of each run these are the events before the first damaged event, and the whole programs and
    texts. Ids, times and contents stay. The outcome is given for each run; a run without a whole
    event is left out.
    """
    held = set(target.run_ids())
    for found in examine(source):
        if found.run_id in held:
            found.events = 0
            found.problems.append(f"{target.store.where} holds a run of that id; not copied")
        elif found.events:
            _copy(found, source, target)
        yield found


def _copy(found: Examined, source: Journal, target: Journal) -> None:
    run_id = found.run_id
    whole = sa.select(events).where(events.c.run == run_id, events.c.seq < found.events)
    damaged = {(run_id, digest) for digest in found.damaged}
    with source.store.transaction() as reading, target.store.transaction() as writing:
        begun = reading.execute(whole.order_by(events.c.seq).limit(1)).mappings().one()["at"]
        writing.execute(sa.insert(runs), {"id": run_id, "created": begun})
        copy_rows(reading, writing, events, whole)
        for table in (programs, texts):
            copy_rows(
                reading, writing, table, sa.select(table).where(table.c.run == run_id), damaged
            )
        if found.answers:
            writing.execute(sa.insert(answers), found.answers)


def _read_events(log: RunLog, found: Examined) -> dict[str, int]:
    """Read the events before the first that is damaged, or names a damaged program.

    Gives the texts they name, with the number of the first such event.
    """
    state, named = RunState(log), dict[str, int]()
    try:
        for recorded in log.events():
            for digest in _programs(recorded.event):
                _check_program(log, digest, recorded.seq)
            state.apply(recorded)
            found.events += 1
            found.unchecked += recorded.elapsed is None
            found.answers += answer_rows(log.run_id, [(recorded.seq, recorded.event)])
            for digest in filter(is_digest, _texts(recorded.event)):
                named.setdefault(digest, recorded.seq)
    except JournalError as error:
        found.problems.append(str(error))
    return named


def _check_program(log: RunLog, digest: str, seq: int) -> None:
    try:
        log.check_program(digest)
    except JournalError as error:
        raise JournalError(f"{error} (named by event {seq})") from error


def _read_contents(journal: Journal, log: RunLog, found: Examined, named: dict[str, int]) -> None:
    """Read the programs and texts of a run, named by an event or not."""
    for table, read in ((programs, log.check_program), (texts, log.text)):
        query = sa.select(table.c.digest).where(table.c.run == log.run_id)
        try:
            with journal.store.transaction() as connection:
                digests = connection.execute(query).scalars().all()
        except JournalError as error:
            found.problems.append(str(error))
            continue
        for digest in digests:
            named.pop(digest, None)
            try:
                read(digest if isinstance(digest, str) else repr(digest))
            except JournalError as error:
                found.problems.append(str(error))
                found.damaged.add(digest)
    for digest, seq in named.items():
        found.problems.append(f"run {log.run_id} holds no text {digest}, which event {seq} names")


def _missing_end(journal: Journal, log: RunLog) -> Iterator[str]:
    """Fault if the event noted by the last heartbeat of the run's writer is missing."""
    noted = sa.select(leases.c.seq).where(leases.c.name == log.run_id)
    last = sa.select(sa.func.max(events.c.seq)).where(events.c.run == log.run_id)
    with journal.store.transaction() as connection:
        expected = connection.execute(noted).scalar_one_or_none()
        found = connection.execute(last).scalar_one()
    if isinstance(expected, int) and (not isinstance(found, int) or found < expected):
        yield (
            f"run {log.run_id}: events up to {expected} were written, and there are none after "
            f"{found}"
        )


def _orphans(journal: Journal) -> list[str]:
    """Runs with events, but missing from the list of runs."""
    listed = sa.select(runs.c.id)
    query = sa.select(events.c.run).where(events.c.run.not_in(listed)).distinct()
    with journal.store.transaction() as connection:
        return [str(run_id) for run_id in connection.execute(query).scalars()]


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
