"""A store that goes away while a search pays for answers: none is paid for twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.search.test_transcript import Asking

from maxcode.budget import Budget
from maxcode.errors import StoreUnavailableError
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


@pytest.fixture(scope="module")
def undisturbed() -> list[str]:
    return outline(_search(_model(), journal=":memory:").run().tree)


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


def test_answers_that_a_full_disk_does_not_take_are_charged_and_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: list[str]
) -> None:
    monkeypatch.setattr(stores, "PATIENCE", 0.0)
    path, again = tmp_path / "runs.db", _model()
    with Journal.open(path) as journal:
        search = _search(_model({1: lambda: _fill(journal)}), journal=journal)
        with pytest.raises(StoreUnavailableError, match="full"):
            search.run()
    with Journal.open(path) as journal:
        resumed = _search(again, journal=journal.run(search.run_id))
        assert outline(resumed.run().tree) == undisturbed
        assert [sample for _, sample in again.calls] == [1, 2, 3]
        assert resumed.state.account.usage[again.name].lost == 3
