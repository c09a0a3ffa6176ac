"""Damages stores at random, one value each, and counts how that is found.

Every damage must end in a JournalError that names the run; none may go unnoticed, and none may
raise anything else. Values are changed in the tables, as a bug or another program would, and bytes
in the file, as a disk would.

Usage: python benchmarks/corruptions.py [--count 240]
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

from common import machine, save

from maxcode import BestOfN, Budget, Journal, ModelGenerator, Search
from maxcode.errors import JournalError
from maxcode.journal.examine import examine, file_problems
from maxcode.journal.state import RunState
from maxcode.testing import ScriptedExecutor, ScriptedModel, toy_task, toy_verdict

COLUMNS = [
    ("maxcode_events", "body"),
    ("maxcode_events", "at"),
    ("maxcode_events", "elapsed"),
    ("maxcode_events", "chain"),
    ("maxcode_events", "seq"),
    ("maxcode_programs", "files"),
    ("maxcode_programs", "entry"),
    ("maxcode_programs", "digest"),
    ("maxcode_texts", "text"),
    ("maxcode_texts", "digest"),
]
KINDS = ["character", "cut", "null", "bytes", "gone", "file"]


def make(path: Path) -> None:
    """A store of two runs of a scripted model."""
    with Journal.open(path) as journal:
        for _ in range(2):
            model = ScriptedModel(lambda _, n: f"Summary: larger\n```\n{2 + n / 8}\n```\n")
            Search(
                toy_task(),
                generator=ModelGenerator(model),
                executor=ScriptedExecutor(toy_verdict),
                policy=BestOfN(n=12, batch=4),
                budget=Budget(evaluations=12),
                journal=journal,
            ).run()


def damage(path: Path, rng: Random) -> str:
    """Change one value, delete one row, or overwrite some bytes; gives what was done."""
    kind = rng.choice(KINDS)
    if kind == "file":
        content = bytearray(path.read_bytes())
        place = rng.randrange(100, len(content) - 8)
        content[place : place + 8] = rng.randbytes(8)
        path.write_bytes(content)
        return "bytes of the file"
    table, column = rng.choice(COLUMNS)
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall()  # noqa: S608
        rowid, value = rng.choice(rows)
        if kind == "gone":
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))  # noqa: S608
            return f"a row of {table}"
        text = str(value)
        at = rng.randrange(max(len(text), 1))
        changed: object = text[:at] + chr(33 + (ord(text[at]) + 1) % 90) + text[at + 1 :]
        if kind == "cut":
            changed = text[:at]
        elif kind == "bytes":
            changed = rng.randbytes(12)
        elif kind == "null":
            changed = None
        try:
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, rowid))  # noqa: S608
        except sqlite3.IntegrityError:  # the database itself refuses that
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))  # noqa: S608
            return f"a row of {table}"
    return f"{kind}: {table}.{column}"


def contents(path: Path) -> list[object]:
    """All that can be read of a store, with times."""
    with Journal.open(path, create=False) as journal:
        found: list[object] = [file_problems(journal)]
        for run in examine(journal):
            if run.problems:
                raise JournalError(run.problems[0])
        for run_id in journal.run_ids():
            log = journal.run(run_id)
            events = list(log.events())
            found += events
            found += [log.text(one.event.text) for one in events if one.event.kind == "answered"]
            found += [dict(step.program.files) for step in RunState.load(log).tree]
        if found[0]:
            raise JournalError(str(found[0]))
        return found


def outcome(path: Path, whole: list[object], ids: list[str]) -> tuple[str, str]:
    try:
        found = contents(path)
    except JournalError as error:
        named = any(run_id in str(error) for run_id in ids)
        return ("named" if named else "clear, but of the whole store"), str(error)
    except Exception as error:  # noqa: BLE001 - that is what is counted
        return "raw", f"{type(error).__name__}: {error}"
    return ("harmless: all reads as before" if found == whole else "silent"), ""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=240)
    count = parser.parse_args().count
    taken_on, rng = machine(), Random(2026)
    with tempfile.TemporaryDirectory() as folder:
        path, copy = Path(folder) / "whole.db", Path(folder) / "damaged.db"
        make(path)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        whole = contents(path)
        with Journal.open(path) as journal:
            ids = journal.run_ids()
        counts: Counter[str] = Counter()
        harmless: Counter[str] = Counter()
        bad = []
        for _ in range(count):
            for file in Path(folder).glob("damaged.db*"):
                file.unlink()
            shutil.copy(path, copy)
            what = damage(copy, rng)
            how, message = outcome(copy, whole, ids)
            counts[how] += 1
            if how.startswith("harmless"):
                harmless[what] += 1
            if how in ("raw", "silent"):
                bad.append({"what": what, "how": how, "message": message})
                print(bad[-1], flush=True)
    figures = {"corruptions": count, "found": dict(counts), "harmless": dict(harmless), "bad": bad}
    print(json.dumps(figures, indent=2))
    save("corruptions", figures, taken_on)


if __name__ == "__main__":
    main()
