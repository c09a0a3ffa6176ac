"""Runs as tests need them."""

from maxcode.budget import Budget
from maxcode.events import SessionStarted
from maxcode.journal import Journal, RunLog


def begun(journal: Journal, name: str = "a task") -> RunLog:
    """A run with one event, so that the store knows it."""
    log = journal.create_run(name)
    log.append(SessionStarted(process="", budget=Budget()))
    return log
