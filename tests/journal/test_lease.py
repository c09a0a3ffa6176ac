"""A run has one writer, wherever processes are: on this machine, on another, in a container."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

import pytest
import sqlalchemy as sa
from tests._runs import MakeSearch

from maxcode import system
from maxcode.budget import Budget
from maxcode.errors import WriterError
from maxcode.journal import lease as leases_module
from maxcode.journal.events import SessionStarted, Stopped
from maxcode.journal.journal import Journal
from maxcode.journal.lease import PERIOD, Lease, Left
from maxcode.journal.state import RunState
from maxcode.journal.store import Store, events, leases
from maxcode.options import Options
from maxcode.report.listing import RunLine
from maxcode.testing import toy_search

pytestmark = pytest.mark.slow

pytest_plugins = ["tests._postgresql"]

HOST, BOOT, _, STARTED = system.identity().split(":")
ELSEWHERE = {
    "another machine": f"other:{BOOT}:1:{STARTED}",
    "the same name after another boot": f"{HOST}:00000000-0000.1:1:{STARTED}",
    "a container of this machine": f"{HOST}:{BOOT.partition('.')[0]}.1:1:{STARTED}",
}


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
    _hold(store, "run", ELSEWHERE["another machine"])
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
    _hold(journal.store, log.run_id, ELSEWHERE["another machine"])
    written = journal.last_events()
    with _beating(journal.store, log.run_id):
        late = toy_search(journal=journal.run(log.run_id), budget=Budget(evaluations=9))
        with pytest.raises(WriterError, match="by process 1 of other"):
            late.run()
    assert journal.last_events() == written
    # Killed there: after a while somebody else may go on.
    assert toy_search(journal=log, budget=Budget(evaluations=9)).run().spent.evaluations == 9


def test_two_that_write_one_run_cannot_both_go_on(toy: MakeSearch, journal: Journal) -> None:
    search = toy(budget=Budget(evaluations=3))
    search.run()
    one, other = (
        toy(journal=journal.run(search.run_id), budget=Budget(evaluations=9)) for _ in range(2)
    )
    steps = one.steps()
    next(steps)
    next(other.steps())
    with pytest.raises(WriterError, match="another process is writing it"):
        list(steps)


def test_a_run_elsewhere_is_shown_as_running_while_its_lease_is_renewed(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "identity", lambda _=None: ELSEWHERE["another machine"])
    search = toy_search(journal=journal)
    steps = search.steps()
    next(steps)
    assert RunLine.read(journal.run(search.run_id)).row.status == "running"
    steps.close()
    with journal.store.transaction() as connection:
        last = sa.select(sa.func.max(events.c.seq)).scalar_subquery()
        connection.execute(sa.delete(events).where(events.c.seq == last))  # that it had ended
    assert RunLine.read(journal.run(search.run_id)).row.status == "killed"


def test_time_that_passed_after_the_last_event_of_a_killed_session_counts(
    journal: Journal,
) -> None:
    alone = Options(seed=5)  # one expansion at a time: none is still at work, and writes
    steps = toy_search(journal=journal, options=alone).steps()
    next(steps)  # left in the middle, as if it had been killed in a long evaluation
    (run_id,) = journal.run_ids()
    last = list(journal.run(run_id).events())[-1]
    assert last.elapsed is not None
    _hold(journal.store, run_id, f"{HOST}:{BOOT}:1:12345678")
    with journal.store.transaction() as connection:
        beats = round(24 / leases_module.PERIOD)
        connection.execute(sa.update(leases).values(elapsed=last.elapsed + 24, beat=beats))
    search = toy_search(journal=journal.run(run_id), budget=Budget(seconds=20))
    result = search.run()
    assert "budget spent: seconds" in result.reason
    assert result.spent.seconds >= 24
    assert RunState.load(journal.run(run_id)).spent == result.spent
    more = Budget(seconds=48, evaluations=result.spent.evaluations + 5)
    again = toy_search(journal=journal.run(run_id), budget=more).run()
    assert again.spent.seconds < 40  # once counted, not counted again
    with pytest.raises(WriterError):
        steps.close()


def test_what_a_killed_session_did_after_its_last_event_counts(journal: Journal) -> None:
    """At most: up to the heartbeat that never came."""
    log = journal.create_run("a run")
    (began,) = log.append(SessionStarted(process="host:boot:1:2", budget=Budget()))
    state, at = RunState.load(log), began.clock
    for left, most in (
        (None, 0.0),
        (Left("host:boot:1:2", 24.0, at + 23.9), 23.9 + PERIOD),  # in a long evaluation
        (Left("host:boot:1:2", 6.0, at - 1.0), PERIOD - 1.0),  # its last event came later
        (Left("host:boot:1:2", 0.0, None), PERIOD),  # before the first heartbeat
        (Left("host:boot:3:4", 12.0, 1.0), 12.0 + PERIOD),  # of another, which never began
    ):
        assert state.unrecorded(left) == pytest.approx(most), left
    log.append(Stopped(status="interrupted", reason=""))
    state = RunState.load(log)
    assert state.unrecorded(Left("host:boot:1:2", 24.0, at)) == 0.0  # it ended of itself
    assert state.unrecorded(Left("host:boot:3:4", 12.0, 1.0)) == pytest.approx(12.0 + PERIOD)
