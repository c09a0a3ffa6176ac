"""Golden files; among them stores as plain SQL, dumped once and loaded into new ones.

A dump begins with comments: which maxcode wrote it, and what each run shows::

    -- written by maxcode 0.1.0, commit 0efbf39
    -- every_role: toy-0123abcd
"""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import sqlalchemy as sa

JOURNALS = Path(__file__).parent / "journals"
DOCUMENTS = Path(__file__).parent / "documents.json"

MAKE = "python -m tests.golden.make"
"""Writes all of them anew, but for the journals themselves."""

_RUN = re.compile(r"^-- (\w+): (\S+)$", re.MULTILINE)


def read(path: Path) -> Any:
    """The content of a golden file."""
    return json.loads(path.read_text(encoding="utf-8"))


def scenarios(dump: str) -> dict[str, str]:
    """The scenario of each run, by the run's id."""
    return {run: scenario for scenario, run in _RUN.findall(dump)}


def newest_store(folder: Path) -> str:
    """A new store in ``folder`` of the journals with every event of the newest version."""
    whole = [path for path in JOURNALS.iterdir() if path.name.removeprefix("schema-").isdigit()]
    dump = (max(whole) / "sqlite.sql").read_text(encoding="utf-8")
    return load_sqlite(dump, folder / "newest.db")


def load_sqlite(dump: str, path: Path) -> str:
    """A new store of what was dumped; gives its name."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump)
    return str(path)


def load_postgresql(dump: str, url: str) -> str:
    """A store of what was dumped in an empty database; gives its name."""
    engine = sa.create_engine(url)
    with closing(engine.raw_connection()) as connection:
        connection.cursor().execute(dump)
        connection.commit()
    engine.dispose()
    return url
