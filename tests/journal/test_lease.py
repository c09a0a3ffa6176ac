"""A run has one writer, wherever processes are: on this machine, on another, in a container."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

import pytest
import sqlalchemy as sa

from maxcode import system
from maxcode.budget import Budget
from maxcode.errors import WriterError
from maxcode.journal import lease as leases_module
from maxcode.journal.journal import Journal
from maxcode.journal.lease import Lease
from maxcode.journal.store import Store, events, leases
from maxcode.report.listing import RunLine
from maxcode.testing import toy_search

pytestmark = pytest.mark.slow

pytest_plugins = ["tests._postgresql"]

HOST, BOOT, _, STARTED = system.identity().split(":")
ELSEWHERE = f"other:{BOOT}:1:{STARTED}"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases_module, "PERIOD", 0.05)
    monkeypatch.setattr(leases_module, "PATIENCE", 0.4)


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with Journal.open(store_url) as journal:
        yield journal.store


def _hold(store: Store, name: str, holder: str) -> None:
    """Have somebody else hold a lease."""
    with store.transaction() as connection:
        connection.execute(sa.delete(leases).where(leases.c.name == name))
        row = {"name": name, "holder": holder, "fence": 7, "beat": 1, "at": 0.0}
        connection.execute(sa.insert(leases), row)


@contextmanager
def _beating(store: Store, name: str) -> Iterator[None]:
    """While entered, whoever holds the lease renews it."""
    ended = Event()

    def beat() -> None:
        change = sa.update(leases).where(leases.c.name == name)
        while not ended.wait(0.03):
            with store.transaction() as connection:
                connection.execute(change.values(beat=leases.c.beat + 1))

    thread = Thread(target=beat)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _row(store: Store, name: str) -> sa.Row[tuple[object, ...]]:
    with store.transaction() as connection:
        return connection.execute(sa.select(leases).where(leases.c.name == name)).one()


def test_a_lease_is_renewed_while_it_is_held_and_given_back(store: Store) -> None:
    lease = Lease(store, "run")
    lease.take()
    with lease:
        first = _row(store, "run")
        assert (first.holder, first.fence) == (system.identity(), 1)
        until = monotonic() + 10
        while _row(store, "run").beat == first.beat:
            assert monotonic() < until
    assert _row(store, "run").holder == ""
    again = Lease(store, "run")
    again.take()
    assert _row(store, "run").fence == 2


def test_a_process_of_this_machine_that_is_gone_is_not_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases_module, "PATIENCE", 3600)
    _hold(store, "run", f"{HOST}:{BOOT}:1:12345678")  # the first process began at another time
    Lease(store, "run").take()
    assert _row(store, "run").holder == system.identity()


def test_a_process_of_this_machine_that_lives_keeps_it(store: Store) -> None:
    _hold(store, "run", system.identity(os.getppid()))
    with pytest.raises(WriterError, match=f"by process {os.getppid()} of this machine"):
        Lease(store, "run").take()


def test_of_many_one_takes_it(store: Store, store_url: str) -> None:
    _hold(store, "run", ELSEWHERE)
    took: list[int] = []

    def take() -> None:
        with Journal.open(store_url) as journal:
            try:
                Lease(journal.store, "run").take()
            except WriterError:
                return
            took.append(int(_row(journal.store, "run").fence))

    threads = [Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(took)) == len(took) > 0


# -- of a run ------------------------------------------------------------------------------------


def test_a_run_that_is_worked_on_elsewhere_is_not_taken_over(journal: Journal) -> None:
    search = toy_search(journal=journal, budget=Budget(evaluations=5))
    search.run()
    log = search.state.log
    _hold(journal.store, log.run_id, ELSEWHERE)
    written = journal.last_events()
    with _beating(journal.store, log.run_id):
        late = toy_search(journal=journal.run(log.run_id), budget=Budget(evaluations=9))
        with pytest.raises(WriterError, match="by process 1 of other"):
            late.run()
    assert journal.last_events() == written
    # Killed there: after a while somebody else may go on.
    assert toy_search(journal=log, budget=Budget(evaluations=9)).run().spent.evaluations == 9


def test_a_run_elsewhere_is_shown_as_running_while_its_lease_is_renewed(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "identity", lambda _=None: ELSEWHERE)
    search = toy_search(journal=journal)
    steps = search.steps()
    next(steps)
    assert RunLine.read(journal.run(search.run_id)).row.status == "running"
    steps.close()
    with journal.store.transaction() as connection:
        last = sa.select(sa.func.max(events.c.seq)).scalar_subquery()
        connection.execute(sa.delete(events).where(events.c.seq == last))  # that it had ended
    assert RunLine.read(journal.run(search.run_id)).row.status == "killed"
