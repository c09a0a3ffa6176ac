"""Runs that reports are made of."""

from collections.abc import Callable

import pytest
from tests.report._hostile import hostile_search

from maxcode.budget import Budget
from maxcode.journal.journal import Journal, RunLog
from maxcode.search.search import Search


@pytest.fixture
def played(full: Callable[..., Search]) -> RunLog:
    """A run with estimates, critiques, duplicates and failures."""
    search = full(budget=Budget(evaluations=60))
    search.run()
    return search.state.log


@pytest.fixture
def hostile(journal: Journal) -> RunLog:
    """A run full of texts that try to get into a page."""
    search = hostile_search(journal)
    search.run()
    return search.state.log
