"""Opening a store: what is made, what is accepted and what is refused."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import sqlalchemy as sa
from tests._runs import begun

from maxcode.errors import JournalError, SchemaError
from maxcode.journal.journal import Journal
from maxcode.journal.store import SCHEMA, Store, meta

pytest_plugins = ["tests._postgresql"]


def _set_schema(url: str, version: str | None) -> None:
    store = Store(url, create=True)
    with store.transaction() as connection:
        connection.execute(sa.delete(meta))
        if version is not None:
            connection.execute(sa.insert(meta).values(key="schema", value=version))
    store.close()


# -- any database ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "message"),
    [
        (str(SCHEMA + 1), f"has schema {SCHEMA + 1}.*use the newer maxcode"),
        ("unknown", "has schema unknown.*give another store"),
        (None, "has schema None.*give another store"),
    ],
)
def test_a_store_of_another_schema_is_refused(
    store_url: str, version: str | None, message: str
) -> None:
    _set_schema(store_url, version)
    for create in (True, False):
        with pytest.raises(SchemaError, match=message):
            Journal.open(store_url, create=create)
    engine = sa.create_engine(store_url)
    with engine.connect() as connection:
        assert connection.execute(sa.select(meta.c.value)).scalar_one_or_none() == version
    engine.dispose()


@pytest.mark.slow
def test_many_may_meet_an_empty_store_at_once(store_url: str) -> None:
    together = Barrier(8)

    def start(number: int) -> str:
        together.wait()
        with Journal.open(store_url) as journal:
            return begun(journal, f"run {number}").run_id

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(start, range(8)))
    with Journal.open(store_url, create=False) as journal:
        assert sorted(journal.run_ids()) == sorted(made)


# -- files -------------------------------------------------------------------------------------


def test_a_missing_store_is_not_made_for_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "runs.db"
    for name in (path, f"sqlite:///{path}"):
        with pytest.raises(JournalError, match=f"no store {path}"):
            Journal.open(name, create=False)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    text = "Things to do:\n" * 100
    path.write_text(text)
    with pytest.raises(JournalError, match=f"store {path}.*not a database"):
        Journal.open(path)
    assert path.read_text() == text


# -- URLs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("://", "not a URL that can be read"),
        ("postgresql://host:port/name", "not a URL that can be read"),
        ("nosuchbase://host/name", r"nosuchbase.*pip install 'maxcode\[postgresql\]'"),
        ("sqlite+nosuchdriver:///x.db", r"nosuchdriver.*pip install 'maxcode\[postgresql\]'"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused(url: str, message: str) -> None:
    with pytest.raises(JournalError, match=message):
        Journal.open(url)


def test_a_server_that_is_not_there_is_named_without_the_password(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    url = f"postgresql+psycopg://me:secret@/runs?host={tmp_path}"
    with pytest.raises(JournalError, match=r"store postgresql\+psycopg://me:.*connection") as e:
        Journal.open(url)
    assert "secret" not in str(e.value)


@pytest.mark.slow
def test_an_older_store_is_brought_up_to_date(store_url: str) -> None:
    with Journal.open(store_url) as journal:
        log = begun(journal)
    engine = sa.create_engine(store_url)
    with engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE maxcode_texts"))
        for column in ("elapsed", "chain"):
            connection.execute(sa.text(f"ALTER TABLE maxcode_events DROP COLUMN {column}"))
        connection.execute(sa.update(meta).values(value="1"))
    together = Barrier(4)

    def read(_: int) -> int:
        together.wait(10)
        with Journal.open(store_url, create=False) as journal:
            return len(list(journal.run(log.run_id).events()))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, range(4))) == [1] * 4
    with engine.connect() as connection:
        assert connection.execute(sa.select(meta.c.value)).scalar_one() == str(SCHEMA)
    assert "maxcode_texts" in sa.inspect(engine).get_table_names()
    engine.dispose()


def test_a_store_that_is_opened_for_reading_cannot_be_changed(store_url: str) -> None:
    with Journal.open(store_url) as journal:
        log = begun(journal)
    with Journal.open(store_url, read_only=True) as journal:
        assert len(list(journal.run(log.run_id).events())) == 1
        with pytest.raises(JournalError, match=r"readonly|read-only"):
            begun(journal)
