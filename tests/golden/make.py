"""Writes the golden files anew, for a change that is meant to be one.

::

    python -m tests.golden.make                        what today's code makes of everything
    python -m tests.golden.make --journal NAME STORE   the runs of a store, beside the others

Journals are never written again: what a released version wrote has to be read for ever. A new one
is for a new kind of event or a new format. The code that made the others is in the commits which
they name, in ``tests/golden/_scenarios.py``.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tests.golden._documents import makers
from tests.golden._seen import RESUMED, resumed, seen
from tests.golden._stores import DOCUMENTS, JOURNALS, load_sqlite, newest_store, scenarios

from maxcode import Journal
from maxcode.journal.journal import link
from maxcode.journal.store import events, leases

_PROCESS = re.compile(r'"process":"[^":]+:[^":]+:')
_NOBODY = "golden:00000000-0000-0000-0000-000000000000"


def main() -> None:
    """Write what was asked for."""
    parser = argparse.ArgumentParser(description="Write the golden files anew.")
    parser.add_argument("--journal", nargs=2, metavar=("NAME", "STORE"), help="keep a store")
    journal = parser.parse_args().journal
    if journal:
        keep_journal(*journal)
    with tempfile.TemporaryDirectory(prefix="maxcode-") as folder:
        make_expected(Path(folder))
        made = makers(newest_store(Path(folder)), Path(folder))
        write(DOCUMENTS, {name: make() for name, make in made.items()})


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


def keep_journal(name: str, store: str) -> None:
    """Take what would tell of this machine out of a store, and dump it; it is changed by that."""
    with Journal.open(store) as journal:
        run_ids = journal.run_ids()
        with journal.store.transaction() as connection:
            held = sa.update(leases).where(leases.c.holder != "")
            connection.execute(held.values(holder=f"{_NOBODY}.1:1:1"))
            for run in run_ids:
                _anonymise(connection, run)
    with closing(sqlite3.connect(store)) as connection:
        dump = "\n".join(connection.iterdump()) + "\n"
    command = ["git", "rev-parse", "--short=7", "HEAD"]
    commit = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    head = [f"-- written by maxcode {version('maxcode')}, commit {commit}"]
    head += [f"-- {name.replace('-', '_')}: {run}" for run in reversed(run_ids)]
    (JOURNALS / name).mkdir()
    (JOURNALS / name / "sqlite.sql").write_text("\n".join(head) + "\n" + dump, encoding="utf-8")


def _anonymise(connection: sa.Connection, run: str) -> None:
    """Name nobody as the process of a run, and make the checksums of its events anew."""
    chain = ""
    query = sa.select(events).where(events.c.run == run).order_by(events.c.seq)
    for row in connection.execute(query).all():
        body = _PROCESS.sub(f'"process":"{_NOBODY}:', row.body)
        chain = link(chain, run, row.seq, row.at, row.elapsed, body)
        change = sa.update(events).where(events.c.run == run, events.c.seq == row.seq)
        connection.execute(change.values(body=body, chain=chain))


def write(path: Path, value: Any) -> None:
    """Write a golden file: what is short, and rows of tables, on a line, so that diffs are read."""
    path.write_text(_told(value) + "\n", encoding="utf-8")


def _told(value: Any, indent: str = "") -> str:
    line = json.dumps(value, ensure_ascii=False)
    row = isinstance(value, list) and not any(isinstance(one, dict | list) for one in value)
    if row or len(line) + len(indent) <= 100 or not isinstance(value, dict | list):
        return line
    inside = indent + " "
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {_told(one, inside)}" for key, one in value.items()]
        return "{\n" + ",\n".join(inside + item for item in items) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inside + _told(one, inside) for one in value) + f"\n{indent}]"


if __name__ == "__main__":
    main()
