"""Writes the golden files anew, for a change that is meant to be one.

::

    python -m tests.golden.make                       what today's code makes of everything
    python -m tests.golden.make --journals schema-3   journals of today's format, beside the others

Journals are never written again: what a released version wrote has to be read for ever. New ones
are for a new format, and hold every kind of event and every field of it.
"""

from __future__ import annotations

import argparse
import re
import socket
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import sqlalchemy as sa
from tests._postgresql import Server
from tests.golden import _scenarios
from tests.golden._command import maxcode
from tests.golden._coverage import unused
from tests.golden._documents import Documents
from tests.golden._place import DOCUMENTS, JOURNALS, ROOT, write
from tests.golden._resuming import RESUMED, resumed
from tests.golden._seen import seen
from tests.golden._stores import (
    dumped_postgresql,
    dumped_sqlite,
    load_sqlite,
    newest_store,
    scenarios,
)

from maxcode import Journal
from maxcode.journal.events import EVENT
from maxcode.journal.journal import link
from maxcode.journal.store import events, leases

_NOT_OF_PLUGINS = {"Cost.evaluations", "Cost.seconds", "Options.trainer"}
"""Fields that no event holds: no plug-in is paid in them, or no journal keeps them."""

_PROCESS = re.compile(r'"process":"[^":]+:[^":]+:')
_GOLDEN = '"process":"golden:00000000-0000-0000-0000-000000000000:'


def main() -> None:
    """Write what was asked for."""
    parser = argparse.ArgumentParser(description="Write the golden files anew.")
    parser.add_argument("--journals", metavar="NAME", help="make journals, too, in a new folder")
    name = parser.parse_args().journals
    with tempfile.TemporaryDirectory(prefix="maxcode-") as folder:
        if name:
            make_journals(JOURNALS / name, Path(folder))
        make_expected(Path(folder))
        documents = Documents(newest_store(Path(folder)), Path(folder))
        write(DOCUMENTS, {name: make() for name, make in documents.makers().items()})


# -- expectations --------------------------------------------------------------------------------


def make_expected(folder: Path) -> None:
    """Write the expected output of today's code for all journals."""
    for place in sorted(JOURNALS.iterdir()):
        dump = (place / "sqlite.sql").read_text(encoding="utf-8")
        store = load_sqlite(dump, folder / f"{place.name}.db")
        told = {
            run: {"scenario": scenario, **seen(store, run, folder)}
            for run, scenario in scenarios(dump).items()
        }
        for run, scenario in scenarios(dump).items():
            if scenario in RESUMED:
                again = load_sqlite(dump, folder / f"{place.name}-{run}.db")
                told[run]["resumed"] = resumed(again, run, scenario, folder)
        write(place / "expected.json", told)


# -- journals ------------------------------------------------------------------------------------


def make_journals(place: Path, folder: Path) -> None:
    """Make all runs, and dump them. Raises if a kind of event or a field is missing."""
    store, runs = str(folder / "sqlite.db"), dict[str, str]()
    with tempfile.TemporaryDirectory(prefix="maxcode-pg-") as name:
        server = Server(Path(name))
        server.start()
        url = server.new_database()
        for make in (_scenarios.every_role, _scenarios.landscape):
            runs |= _made(make, url, folder)
        _anonymise(url, folder)
        postgresql = _dump(dumped_postgresql(url), runs, folder)
        done = maxcode("store", "merge", url, "--store", store)
        assert done.returncode == 0, done.stderr
        server.stop()
    for make in (
        _scenarios.killed,
        _scenarios.resumed,
        _scenarios.models,
        _scenarios.reduction,
        _scenarios.comparison,
        _scenarios.cpp,
        _scenarios.further,
        _scenarios.failing,
        _scenarios.trained,
    ):
        runs |= _made(make, store, folder)
    with Journal.open(store) as journal:
        made = [
            EVENT.dump_python(recorded.event, mode="json")
            for run in journal.run_ids()
            for recorded in journal.run(run).events()
        ]
    missing = set(unused(EVENT.json_schema(mode="serialization"), made)) - _NOT_OF_PLUGINS
    if missing:
        raise SystemExit(f"no run has {missing}: add it to tests/golden/_scenarios.py")
    _anonymise(store, folder)
    place.mkdir()
    (place / "postgresql.sql").write_text(postgresql, encoding="utf-8")
    sqlite = _dump(dumped_sqlite(Path(store)), runs, folder)
    (place / "sqlite.sql").write_text(sqlite, encoding="utf-8")


def _made(make: Callable[[str, Path], None], store: str, folder: Path) -> dict[str, str]:
    """The runs that were added, with the name of their scenario."""
    with Journal.open(store) as journal:
        before = journal.run_ids()
    make(store, folder)
    with Journal.open(store) as journal:
        return {run: make.__name__ for run in reversed(journal.run_ids()) if run not in before}


def _anonymise(store: str, folder: Path) -> None:
    """Take what would tell of this machine out of all events, and make their checksums anew."""
    with Journal.open(store) as journal:
        run_ids = journal.run_ids()
    with closing(journal.store), journal.store.transaction() as connection:
        held = sa.update(leases).where(leases.c.holder != "")
        connection.execute(held.values(holder="golden:00000000-0000-0000-0000-000000000000.1:1:1"))
        for run in run_ids:
            chain = ""
            query = sa.select(events).where(events.c.run == run).order_by(events.c.seq)
            for row in connection.execute(query).all():
                body = _PROCESS.sub(_GOLDEN, row.body).replace(str(folder), "/golden")
                chain = link(chain, run, row.seq, row.at, row.elapsed, body)
                change = sa.update(events).where(events.c.run == run, events.c.seq == row.seq)
                connection.execute(change.values(body=body, chain=chain))


def _dump(text: str, runs: dict[str, str], folder: Path) -> str:
    """The dump with its head."""
    command = ["git", "rev-parse", "--short=7", "HEAD"]
    commit = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    assert str(folder) not in text
    assert str(ROOT) not in text
    assert f'"{socket.gethostname()}"' not in text
    head = [f"-- written by maxcode {version('maxcode')}, commit {commit.strip()}"]
    head += [f"-- {scenario}: {run}" for run, scenario in runs.items()]
    return "\n".join(head) + "\n" + text


if __name__ == "__main__":
    main()
