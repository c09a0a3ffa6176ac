"""Journals that earlier versions wrote: they are read as they were, and gone on with."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import pytest
from tests._covering import covering
from tests.golden._command import COMPARISON, maxcode
from tests.golden._seen import RESUMED, resumed, seen
from tests.golden._stores import JOURNALS, load_postgresql, load_sqlite, read, scenarios

from maxcode import Journal
from maxcode.errors import SchemaError
from maxcode.journal.events import EVENT, Event

if TYPE_CHECKING:
    from tests._postgresql import Server

pytest_plugins = ["tests._postgresql"]


class Case(NamedTuple):
    """A run, in a journal, as a database holds it."""

    journal: str
    database: str
    run: str

    def __str__(self) -> str:
        return f"{self.journal}-{self.database}-{self.expected['scenario']}-{self.run}"

    @property
    def dump(self) -> str:
        return _dump(self.journal, self.database)

    @property
    def expected(self) -> Any:
        return _expected(self.journal)[self.run]


@cache
def _dump(journal: str, database: str) -> str:
    return (JOURNALS / journal / f"{database}.sql").read_text(encoding="utf-8")


@cache
def _expected(journal: str) -> Any:
    return read(JOURNALS / journal / "expected.json")


CASES = [
    Case(path.parent.name, path.stem, run)
    for path in sorted(JOURNALS.glob("*/*.sql"))
    for run in scenarios(_dump(path.parent.name, path.stem))
]
COMPARED = [case for case in CASES if case.expected["scenario"] == "comparison"]
CUT_OFF = [case for case in CASES if case.expected["scenario"] in RESUMED]
_OLDEST = {case.expected["scenario"]: str(case) for case in reversed(CUT_OFF)}
_NEWEST = {(case.expected["scenario"], case.database): str(case) for case in CUT_OFF}
USUAL = {*_OLDEST.values(), *_NEWEST.values()}
"""Gone on with in every run: of each scenario the oldest, and the newest of either database."""

Load = Callable[[Case], str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("golden")


@pytest.fixture(scope="module")
def loaded(request: pytest.FixtureRequest, folder: Path) -> Load:
    """Gives the store with a case; each is loaded once, for those who only read."""

    @cache
    def store(journal: str, database: str) -> str:
        return _loaded(_dump(journal, database), database, folder / f"{journal}.db", request)

    return lambda case: store(case.journal, case.database)


def _loaded(dump: str, database: str, path: Path, request: pytest.FixtureRequest) -> str:
    if database == "sqlite":
        return load_sqlite(dump, path)
    server: Server = request.getfixturevalue("postgresql")
    return load_postgresql(dump, server.new_database())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_run_is_told_as_ever(case: Case, loaded: Load, tmp_path: Path) -> None:
    told = json.loads(json.dumps(seen(loaded(case), case.run, tmp_path)))
    assert told == {name: case.expected[name] for name in told}
    assert told.keys() == case.expected.keys() - {"scenario", "resumed"}


@pytest.mark.slow
@pytest.mark.parametrize("case", covering(CUT_OFF, USUAL))
def test_a_run_that_was_cut_off_goes_on(
    case: Case, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    store = _loaded(case.dump, case.database, tmp_path / "runs.db", request)
    told = resumed(store, case.run, case.expected["scenario"], tmp_path)
    assert told == case.expected["resumed"]


@pytest.mark.slow
@pytest.mark.parametrize("journal", sorted({case.journal for case in COMPARED}))
def test_a_comparison_finds_the_runs_it_made(journal: str, loaded: Load, tmp_path: Path) -> None:
    cases = [case for case in COMPARED if case.journal == journal]
    done = maxcode(*("compare", *COMPARISON, "--dry-run", "--json", "--store", loaded(cases[0])))
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["missing"] == 0
    same = {case.run for case in cases if case.journal == cases[0].journal}
    assert {one["run_id"] for one in document["runs"]} == same


def test_stores_of_the_first_schema_are_brought_up_to_date_by_who_may_write(folder: Path) -> None:
    store = load_sqlite(_dump("schema-1", "sqlite"), folder / "old.db")
    with pytest.raises(SchemaError, match="bring it up to date"):
        Journal.open(store, read_only=True)
    Journal.open(store).close()
    with Journal.open(store, read_only=True) as journal:
        assert set(journal.run_ids()) == set(scenarios(_dump("schema-1", "sqlite")))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_events_are_written_as_they_are_read(case: Case, loaded: Load) -> None:
    with Journal.open(loaded(case)) as journal:
        for recorded in journal.run(case.run).events():
            assert EVENT.validate_json(EVENT.dump_json(recorded.event)) == recorded.event


def test_every_kind_of_event_is_in_a_journal() -> None:
    kinds = {kind for case in CASES for kind in case.expected["events"]}
    assert kinds == {event.model_fields["kind"].default for event in get_args(Event)}
