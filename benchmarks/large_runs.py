"""What long runs cost: to write them, show them, report them, resume them; on both databases.

Runs are those of benchmarks/loop_overhead.py. Every figure is of a process of its own: seconds on
the clock and of the processor, from the start of Python to its end, and the most memory. ``resume``
reads the run and gets ready to write. PostgreSQL is started here with its usual settings.
``--baseline`` names the sources of an older version, which writes the stores then, and after this
one reads them, too; PostgreSQL gets a copy. ``write`` is of a short run of each version.

With ``--append`` figures replace those of the same size, database and version in the results, and
no short run is written.

Usage: python benchmarks/large_runs.py [--sizes 20000 100000] [--baseline SRC] [--stores FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import loop_overhead
import sqlalchemy as sa
from common import ROOT, earlier, machine, save

from maxcode import Budget, Journal, MaxCodeLoop, Program, Search, Task
from maxcode.journal.merge import merge

WRITTEN = 2000
RESUME = """
import sys
from maxcode import Journal
from maxcode.journal.state import RunState
log = Journal.open(sys.argv[1], create=False).run("last")
state = RunState.load(log)
log.continue_after(state.last_event)
print(len(state.tree))
"""
CLI = "from maxcode.cli.main import main; main()"


def write(store: str, candidates: int) -> float:
    """Write a run; gives milliseconds for each candidate."""
    search = Search(
        Task("overhead", "", Program.of("start")),
        generator=loop_overhead.NewPrograms(),
        executor=loop_overhead.Nothing(),
        policy=MaxCodeLoop(),
        budget=Budget(evaluations=candidates),
        journal=store,
    )
    started = perf_counter()
    steps = sum(1 for _ in search.steps())
    return 1000 * (perf_counter() - started) / steps


def written_by(sources: Path, store: str, candidates: int) -> float:
    """The same by the version in ``sources``, in a process of its own."""
    command = [sys.executable, __file__, "--write", store, str(candidates)]
    environment = {**os.environ, "PYTHONPATH": str(sources)}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    return round(float(json.loads(done.stdout)), 2)


def measured(sources: Path, code: str, *arguments: str) -> dict[str, Any]:
    """What a process takes that runs some code of the version in ``sources``."""
    environment = {**os.environ, "PYTHONPATH": str(sources)}
    started = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    return {
        "seconds": round(perf_counter() - started, 2),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "memory_mb": round(used.ru_maxrss / 1024),
        **({"status": status} if status else {}),
    }


def figures(sources: Path, store: str, page: Path) -> dict[str, Any]:
    found = {"show": measured(sources, CLI, "show", "--store", store)}
    found["resume"] = measured(sources, RESUME, store)
    found["report"] = measured(sources, CLI, "report", "--store", store, "--out", str(page))
    found["report"]["page_mb"] = round(page.stat().st_size / 1e6, 1)
    return found


def copy(store: str, target: str) -> None:
    """Copy a store in a process of its own: one that was large hands that down to its children."""
    command = [sys.executable, __file__, "--copy", store, target]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run(command, env=environment, check=True)


def size_mb(store: str) -> float:
    if "://" not in store:
        return round(Path(store).stat().st_size / 1e6)
    with sa.create_engine(store).connect() as connection:
        query = "SELECT pg_database_size(current_database())"
        return float(round(connection.exec_driver_sql(query).scalar_one() / 1e6))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=[20000, 100000])
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--baseline", type=Path)
    parser.add_argument("--stores", type=Path, help="where SQLite's are kept and found again")
    parser.add_argument("--append", action="store_true", help="to what was measured before")
    parser.add_argument("--write", nargs=2, help="for this program's own use")
    parser.add_argument("--copy", nargs=2, help="likewise")
    arguments = parser.parse_args()
    if arguments.write:
        print(json.dumps(write(arguments.write[0], int(arguments.write[1]))))
        return
    if arguments.copy:
        source, target = map(Journal.open, arguments.copy)
        list(merge(source, target))
        return
    taken_on = machine()
    versions = {"this": ROOT / "src"}
    if arguments.baseline:
        versions["baseline"] = arguments.baseline
    sys.path.insert(0, str(ROOT))
    from tests import _postgresql  # noqa: PLC0415 - of the repository, not installed

    _postgresql._SETTINGS = "-c listen_addresses= -c max_connections=40"  # with fsync
    before = earlier("large_runs") if arguments.append else {}
    written, rows = before.get("write", []), before.get("runs", [])
    with tempfile.TemporaryDirectory(prefix="maxcode-pg-") as folder:
        server = _postgresql.Server(Path(folder))
        server.start()
        try:
            place = arguments.stores or Path(folder)
            for database in () if arguments.append else arguments.databases:
                for name, sources in versions.items():
                    local = str(place / f"short-{name}.db")
                    store = local if database == "sqlite" else server.new_database()
                    each = written_by(sources, store, WRITTEN)
                    written.append({"database": database, "version": name, "ms_each": each})
                    print(written[-1], flush=True)
            for size in arguments.sizes:
                kept = place / f"{size}.db"
                if not kept.exists():  # by the older version: both can read it
                    written_by(arguments.baseline or versions["this"], str(kept), size)
                for database in arguments.databases:
                    store = str(kept) if database == "sqlite" else server.new_database()
                    if database != "sqlite":
                        copy(str(kept), store)
                    for name, sources in versions.items():
                        found = figures(sources, store, place / "page.html")
                        row = {"candidates": size, "database": database, "version": name}
                        rows = [one for one in rows if not row.items() <= one.items()]
                        rows.append({**row, "store_mb": size_mb(store), **found})
                        print(rows[-1], flush=True)
        finally:
            server.stop()
    said: dict[str, Any] = {
        key: before[key] for key in ("baseline", "note") if key in before
    }  # by hand
    results = {"candidates_written": WRITTEN, **said, "write": written, "runs": rows}
    save("large_runs", results, taken_on)


if __name__ == "__main__":
    main()
