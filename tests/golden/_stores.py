"""Stores as plain SQL: dumped once, and loaded into new ones.

A dump begins with comments: which maxcode wrote it, and the runs of each scenario::

    -- written by maxcode 0.1.0, commit 0efbf39
    -- every_role: toy-0123abcd
"""

from __future__ import annotations

import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa
from tests.golden._place import JOURNALS

_RUN = re.compile(r"^-- (\w+): (\S+)$", re.MULTILINE)

_SETTINGS = re.compile(r"^(?:--|SET |SELECT pg_catalog\.set_config|\\|$).*\n?", re.MULTILINE)
"""Lines of pg_dump that other versions of the server would not understand, or nobody needs."""


def scenarios(dump: str) -> dict[str, str]:
    """The scenario of each run, by the run's id."""
    return {run: scenario for scenario, run in _RUN.findall(dump)}


def dumped_sqlite(path: Path) -> str:
    """The SQL that makes the store again."""
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(connection.iterdump()) + "\n"


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


def dumped_postgresql(url: str) -> str:
    """The SQL that makes the store again, as pg_dump writes it."""
    plain = url.replace("postgresql+psycopg:", "postgresql:")
    command = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", plain]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return _SETTINGS.sub("", done.stdout)


def load_postgresql(dump: str, url: str) -> str:
    """A store of what was dumped in an empty database; gives its name."""
    engine = sa.create_engine(url)
    with closing(engine.raw_connection()) as connection:
        connection.cursor().execute(dump)
        connection.commit()
    engine.dispose()
    return url
