"""Runs as tests need them."""

from collections.abc import Callable

from maxcode.budget import Budget
from maxcode.journal.events import Answered, Proposed, Requested, RunStarted, SessionStarted
from maxcode.journal.journal import Journal, RunLog
from maxcode.search.search import Search

MakeSearch = Callable[..., Search]
"""The fixtures ``toy`` and ``full``, which make a search."""


def begun(journal: Journal, name: str = "a task") -> RunLog:
    """A run with one event, so that the store knows it."""
    log = journal.create_run(name)
    log.append(SessionStarted(process="", budget=Budget()))
    return log


def copied(log: RunLog, journal: Journal, most: int) -> RunLog:
    """Another run of the first events of this one, with all of its programs and model texts."""
    copy = journal.create_run("copy")
    events = [recorded.event for recorded in log.events()]
    named = {one.baseline for one in events if isinstance(one, RunStarted)}
    proposals = [p for one in events if isinstance(one, Proposed) for p in one.proposals]
    named |= {one.program for one in proposals if one.program}
    told = [one for one in events[:most] if isinstance(one, Answered | Requested)]
    digests = {one.prompt for one in told} | {one.text for one in told if one.kind == "answered"}
    copy.append(*events[:most], named=map(log.program, named), texts=map(log.text, digests))
    return copy
