"""A run goes on from a snapshot as it does without one, and a snapshot hides nothing."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from tests.golden._place import JOURNALS
from tests.golden._stores import load_sqlite

from maxcode.budget import Budget
from maxcode.errors import JournalError
from maxcode.interfaces import SearchPolicy
from maxcode.journal import snapshot
from maxcode.journal.examine import examine
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.state import RunState
from maxcode.options import Options
from maxcode.policies.beam import Beam
from maxcode.policies.islands import Islands
from maxcode.policies.maxcode import MaxCode
from maxcode.policies.puct import PUCT
from maxcode.search.search import Search
from maxcode.testing import ToyPolicy, outline, toy_search

pytestmark = pytest.mark.slow

pytest_plugins = ["tests._postgresql"]

EVERY = sorted({min(JOURNALS.iterdir()), max(JOURNALS.iterdir())})
"""The journals of the oldest version and of the newest, which has every kind of event."""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def log(journal: Journal) -> RunLog:
    """A run with a snapshot of most of its events."""
    search = toy_search(journal=journal, options=Options(seed=5, in_flight=1))
    search.run()
    log = journal.run(search.run_id)
    snapshot.save(folded(log, 40))
    return log


def folded(log: RunLog, count: int) -> RunState:
    """The state after so many events."""
    state = RunState(log)
    for recorded in islice(log.events(), count):
        state.apply(recorded)
    return state


def everything(state: RunState) -> dict[str, object]:
    """Every attribute of a state and of its parts."""
    own = {name: value for name, value in vars(state).items() if name not in ("log", "snapshot")}
    tree = vars(state.tree) if state.has_tree else None
    return {**own, "_tree": tree, "estimates": vars(state.estimates)}


def result(search: Search) -> tuple[object, ...]:
    """What a search found, and the bill."""
    found = search.run()
    usage = {name: replace(used, seconds=0.0) for name, used in search.state.usage.items()}
    return outline(found.tree), replace(search.state.spent, seconds=0.0), usage, found.status


@pytest.mark.parametrize("version", EVERY, ids=lambda path: path.name)
def test_after_every_event_a_snapshot_holds_all_of_the_state(version: Path, tmp_path: Path) -> None:
    dump = (version / "sqlite.sql").read_text(encoding="utf-8")
    with Journal.open(load_sqlite(dump, tmp_path / "old.db")) as journal:
        for run_id in journal.run_ids():
            state = RunState(journal.run(run_id))
            for recorded in state.log.events():
                state.apply(recorded)
                again = snapshot.decode(state.log, snapshot.encode(state))
                assert everything(again) == everything(state)


POLICIES: dict[str, Callable[[], SearchPolicy]] = {
    "toy": ToyPolicy,
    "maxcode": lambda: MaxCode(k=2),
    "puct": PUCT,
    "islands": Islands,
    "beam": Beam,
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_a_killed_run_goes_on_as_it_does_without_its_snapshot(
    policy: Callable[[], SearchPolicy], tmp_path: Path
) -> None:
    given = {"policy": policy(), "options": Options(seed=5, in_flight=3, threads=3)}
    with Journal.open(tmp_path / "whole.db") as journal:
        run_id = toy_search(journal=journal, **given).run().run_id
        stores = [
            cut(tmp_path / "whole.db", tmp_path / f"{name}.db") for name in ("with", "without")
        ]
    found = []
    for store in stores:
        with Journal.open(store) as journal:
            log = journal.run(run_id)
            if store.stem == "with":
                snapshot.save(folded(log, 45))
            else:
                snapshot.place(log).unlink()
            state = snapshot.load(log)
            assert state.snapshot == (44 if store.stem == "with" else -1)
            assert everything(state) == everything(RunState.load(log))
            found.append(result(toy_search(journal=state, **given)))
    assert found[0] == found[1]


def cut(store: Path, copy: Path) -> Path:
    """A store as it was when its only run had 60 events."""
    with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
        target.execute("DELETE FROM maxcode_events WHERE seq >= 60")
        target.execute("UPDATE maxcode_leases SET seq = 59, holder = ''")
        target.commit()
    return copy


def test_a_run_in_any_database_is_read_from_its_snapshot(store_url: str) -> None:
    with Journal.open(store_url) as journal:
        search = toy_search(journal=journal)
        search.run()
        log = journal.run(search.run_id)
        snapshot.save(folded(log, 40))
        state = snapshot.load(log)
        assert state.snapshot == 39
        assert everything(state) == everything(RunState.load(log))


def test_a_store_that_is_only_read_is_read_from_its_snapshot(log: RunLog, tmp_path: Path) -> None:
    with Journal.open(tmp_path / "runs.db", read_only=True) as journal:
        assert snapshot.load(journal.run(log.run_id)).snapshot == 39


def test_a_long_run_has_a_snapshot_when_it_ends_and_at_each_doubling(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "LEAST", 16)
    at: list[int] = []
    search = toy_search(journal=journal, observers=[lambda event, state: at.append(state.snapshot)])
    search.run()
    first, second, *_ = sorted(set(at) - {-1})
    assert first >= 15
    assert second >= 2 * first
    assert search.state.last_event - search.state.snapshot < snapshot.LEAST
    assert snapshot.load(journal.run(search.run_id)).snapshot == search.state.snapshot


def test_a_short_run_has_none(journal: Journal) -> None:
    search = toy_search(journal=journal)
    search.run()
    assert not snapshot.place(search.state.log).exists()


def test_a_run_in_memory_has_none() -> None:
    search = toy_search()
    search.run()
    snapshot.save(search.state)
    assert not snapshot.place(search.state.log).exists()


def _flipped(written: bytes) -> bytes:
    return written[:-9] + bytes([written[-9] ^ 1]) + written[-8:]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "one bit": _flipped,
    "half of it": lambda written: written[: len(written) // 2],
    "no bytes": lambda written: b"",
    "something else": lambda written: b'{"sha256": []}\n' + written,
    "a list": lambda written: b"[1]\n",
    "other events": lambda written: written.replace(b'"seq": 39', b'"seq": 38'),
    "no such event": lambda written: written.replace(b'"seq": 39', b'"seq": 9999'),
    "an older version": lambda written: written.replace(b'"code": "', b'"code": "0'),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_snapshot_that_does_not_fit_is_left_aside_with_a_warning(
    log: RunLog, damage: Callable[[bytes], bytes]
) -> None:
    place = snapshot.place(log)
    place.write_bytes(damage(place.read_bytes()))
    with pytest.warns(RuntimeWarning, match=f"the snapshot of run {log.run_id} .* read again"):
        state = snapshot.load(log)
    assert state.snapshot == -1
    assert everything(state) == everything(RunState.load(log))


def test_an_event_that_was_changed_since_changes_nothing_and_is_found(
    log: RunLog, tmp_path: Path
) -> None:
    before = everything(snapshot.load(log))
    damage(tmp_path, "UPDATE maxcode_events SET body = replace(body, '0.', '1.') WHERE seq < 39")
    assert everything(snapshot.load(log)) == before
    with Journal.open(tmp_path / "runs.db") as journal:
        (found,) = examine(journal)
    assert found.events < 39
    assert "damaged" in found.problems[0]


@pytest.mark.filterwarnings("ignore:the snapshot of run:RuntimeWarning")
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("DELETE FROM maxcode_events WHERE seq = 7", "event 7 is missing"),
        ("UPDATE maxcode_events SET chain = 'ab' WHERE seq = 39", "event 39 is damaged"),
        ("UPDATE maxcode_events SET body = '{}' WHERE seq = 40", "event 40 is damaged"),
    ],
)
def test_a_snapshot_does_not_hide_that_the_run_is_another(
    log: RunLog, tmp_path: Path, change: str, problem: str
) -> None:
    damage(tmp_path, change)
    with pytest.raises(JournalError, match=problem):
        snapshot.load(log)


def test_a_snapshot_of_events_that_were_cut_off_is_left_aside(log: RunLog, tmp_path: Path) -> None:
    damage(tmp_path, "DELETE FROM maxcode_events WHERE seq >= 30")
    with pytest.warns(RuntimeWarning, match="is of other events"):
        assert snapshot.load(log).last_event == 29


def damage(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "runs.db")) as connection:
        connection.execute(statement)
        connection.commit()


def test_a_snapshot_stays_in_its_folder_whatever_a_run_is_called(
    journal: Journal, tmp_path: Path
) -> None:
    place = snapshot.place(RunLog(journal.store, "../../.profile"))
    assert place.resolve().parent == tmp_path / "cache/maxcode/snapshots"


def test_only_the_newest_snapshots_are_kept(journal: Journal) -> None:
    logs = [toy_search(journal=journal, budget=Budget(evaluations=1)) for _ in range(18)]
    for search in logs:
        search.run()
        snapshot.save(search.state)
    kept = [snapshot.place(search.state.log).exists() for search in logs]
    assert kept == [False] * 2 + [True] * 16
