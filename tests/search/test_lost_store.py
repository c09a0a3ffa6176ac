"""A store that goes away while a search pays for answers: none is paid for twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
import sqlalchemy as sa
from tests.search.test_transcript import Asking

from maxcode.budget import Budget
from maxcode.errors import JournalError, StoreUnavailableError
from maxcode.journal import store as stores
from maxcode.journal.events import Answered, SessionStarted
from maxcode.journal.journal import Journal
from maxcode.models.base import Prompt
from maxcode.models.prices import Price
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.search import Search
from maxcode.testing import ScriptedExecutor, ScriptedModel, outline, toy_task, toy_verdict

pytest_plugins = ["tests._postgresql"]

Event = Callable[[], None]


def _model(events: dict[int, Event] | None = None) -> ScriptedModel:
    """Answers at length; before the answer of a number something happens to the store."""

    def script(_: Prompt, sample: int) -> str:
        (events or {}).get(sample, lambda: None)()
        return f"{sample + 2}.0".ljust(20_000, "0")

    return ScriptedModel(script, price=Price.parse("1/1"), max_tokens=9000)


def _search(model: ScriptedModel, **given: Any) -> Search:
    arguments: dict[str, Any] = {
        "generator": Asking(model),
        "executor": ScriptedExecutor(toy_verdict),
        "policy": BestOfN(batch=4, n=4),
        "budget": Budget(evaluations=20),
    }
    return Search(toy_task(), **{**arguments, **given})


def _answers(search: Search) -> list[int]:
    found = (recorded.event for recorded in search.state.log.events())
    return sorted(e.call.sample for e in found if isinstance(e, Answered) and not e.call.problem)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "PATIENCE", 0.0)
    monkeypatch.setattr(stores, "BUSY", 0.01)


@pytest.fixture(scope="module")
def undisturbed() -> list[str]:
    return outline(_search(_model(), journal=":memory:").run().tree)


def _goes_on(path: Path | str, run_id: str, undisturbed: list[str]) -> None:
    """Resumed, the run asks for nothing that was answered, and comes to the same tree."""
    again = _model()
    with Journal.open(path) as journal:
        search = _search(again, journal=journal.run(run_id))
        result = search.run()
        assert again.calls == []
        assert outline(result.tree) == undisturbed
        assert _answers(search) == [0, 1, 2, 3]
        assert search.state.account.usage[again.name].lost == 0
        assert list(search.state.log.spool().answers()) == []


# -- what passes -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_connection_that_is_cut_off_is_made_again(
    request: pytest.FixtureRequest, undisturbed: list[str]
) -> None:
    url = request.getfixturevalue("postgresql").new_database()
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    kill = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )

    def cut_off() -> None:
        with engine.connect() as connection:
            connection.execute(sa.text(kill))

    with Journal.open(url) as journal:
        search = _search(_model({1: cut_off, 3: cut_off}), journal=journal)
        assert outline(search.run().tree) == undisturbed
        assert _answers(search) == [0, 1, 2, 3]
    engine.dispose()


def test_a_commit_whose_success_was_not_heard_of_is_no_second_writer(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = journal.create_run("deaf")
    attempt = journal.store.attempt
    failed: list[object] = []

    def deaf(work: Callable[[sa.Connection], Any], **options: Any) -> Any:
        if not failed and options:
            failed.append(attempt(work, **options))  # done, and then it seems that it was not
        return attempt(work, **options)

    monkeypatch.setattr(journal.store, "attempt", deaf)
    log.append(SessionStarted(process="", budget=Budget()), sync=True)
    log.append(SessionStarted(process="", budget=Budget()), sync=True)
    assert [recorded.seq for recorded in log.events()] == [0, 1]


# -- what does not ---------------------------------------------------------------------------------


def _fill(journal: Journal) -> None:
    """Leave no room but for what is small."""
    with journal.store.transaction() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("interrupted", [False, True])
def test_answers_that_a_full_disk_does_not_take_are_kept_beside_it(
    interrupted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: list[str]
) -> None:
    path = tmp_path / "runs.db"
    with Journal.open(path) as journal:

        def fill() -> None:
            _fill(journal)
            if interrupted:  # which ends every wait
                Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

        model = _model({1: fill})
        search = _search(model, journal=journal)
        if interrupted:
            monkeypatch.setattr(stores, "PATIENCE", 3600.0)
            search.run()
            assert search.state.stopped is not None
            assert search.state.stopped.reason == "interrupted"
        else:
            with pytest.raises(StoreUnavailableError, match="full"):
                search.run()
        assert len(model.calls) == 4
        kept = [event.call.sample for event, _ in search.state.log.spool().answers()]
        assert kept == [1, 2, 3]
    _goes_on(path, search.run_id, undisturbed)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("fate", ["moved", "deleted", "replaced"])
def test_a_file_that_went_away_is_noticed(
    fate: str, tmp_path: Path, undisturbed: list[str]
) -> None:
    path, aside = tmp_path / "runs.db", tmp_path / "aside"
    aside.mkdir()

    def go_away() -> None:
        for file in tmp_path.glob("runs.db*"):
            file.rename(aside / file.name) if fate != "deleted" else file.unlink()
        if fate == "replaced":
            path.write_bytes(b"")

    with Journal.open(path) as journal:
        search = _search(_model({1: go_away}), journal=journal)
        with pytest.raises(JournalError, match="was moved, deleted or replaced"):
            search.run()
        assert len(list(search.state.log.spool().answers())) == 3
    if fate == "deleted":
        assert not path.exists()  # no empty one takes its place
        return
    for file in aside.iterdir():
        file.rename(tmp_path / file.name)
    _goes_on(path, search.run_id, undisturbed)
