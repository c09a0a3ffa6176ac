"""Answers paid twice by a search whose store fails: a restart, a lock, a lost file, a full disk.

A search in a process of its own asks a loopback provider for 60 answers of 20 kB, eight at a time.
After twenty of them the fault comes. If it ends the search, it is mended, and the run is resumed.
``paid_twice`` are answers that the provider completed and billed, less those that the journal holds
at the end. ``exit_codes`` are those of the processes, one after the other.

The full disk is a file system in memory of a few MB, for which this has to be root.

Usage: python benchmarks/storage_faults.py [--faults NAME ...] [--times 3]; figures of other faults
       are kept, and a lock is waited for once
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

from common import ROOT, earlier, load, options, save

sys.path.insert(0, str(ROOT))

from kills_bill import PRICE, asking, program
from tests._postgresql import Server
from tests.provider import LoopbackProvider

from maxcode import Journal
from maxcode.errors import MaxcodeError
from maxcode.journal import store as stores
from maxcode.journal.events import Answered
from maxcode.journal.state import RunState
from maxcode.models.openai import OpenAIModel

ANSWERS, BYTES, LATENCY = 60, 20_000, 0.2
AFTER = 20  # answers, then the fault comes
LOCKED, DOWN = 60.0, 3.0  # seconds


def work(url: str, store: str, run_id: str) -> None:
    """Begin or resume the search whose store fails."""
    model = OpenAIModel("model", base_url=url, max_tokens=BYTES // 4, price=PRICE)
    with Journal.open(store, create=not run_id) as journal:
        asking(model, 100.0, journal.run(run_id) if run_id else journal, ANSWERS).run()


@dataclass
class Fault:
    """A store, how it fails, and how that is mended before the run is resumed."""

    store: str
    strike: Callable[[], None]
    mend: Callable[[], None] = lambda: None
    resumed: bool = True
    note: dict[str, Any] = field(default_factory=dict)


# -- faults ----------------------------------------------------------------------------------------


@contextmanager
def restarted(place: Path) -> Iterator[Fault]:
    server = Server(place)
    server.start()
    try:
        yield Fault(server.new_database(), lambda: server.restart(DOWN))
    finally:
        server.stop()


@contextmanager
def locked(place: Path) -> Iterator[Fault]:
    path = place / "runs.db"

    def strike() -> None:
        other = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=60)
        other.execute("BEGIN IMMEDIATE")
        Timer(LOCKED, other.close).start()

    yield Fault(str(path), strike, note={"seconds": LOCKED})


@contextmanager
def full(place: Path) -> Iterator[Fault]:
    disk, ballast = place / "disk", place / "disk" / "ballast"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk)], check=True)

    def strike() -> None:
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    note = {"patience": stores.PATIENCE}
    try:
        yield Fault(str(disk / "runs.db"), strike, ballast.unlink, note=note)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@contextmanager
def moved(place: Path) -> Iterator[Fault]:
    aside = place / "aside"
    aside.mkdir()

    def strike() -> None:
        for file in place.glob("runs.db*"):
            file.rename(aside / file.name)

    def mend() -> None:
        for file in aside.iterdir():
            file.rename(place / file.name)

    yield Fault(str(place / "runs.db"), strike, mend)


@contextmanager
def deleted(place: Path) -> Iterator[Fault]:
    def strike() -> None:
        for file in place.glob("runs.db*"):
            file.unlink()

    yield Fault(str(place / "runs.db"), strike, resumed=False)


FAULTS: dict[str, Callable[[Path], Any]] = {
    "PostgreSQL is restarted": restarted,
    "SQLite is locked": locked,
    "the disk stays full": full,
    "the file is moved": moved,
    "the file is deleted": deleted,
}


# -- one run ---------------------------------------------------------------------------------------


def disturbed(fault: Fault, own: Path, provider: LoopbackProvider) -> dict[str, Any]:
    """A search whose store fails, resumed until it ends; the bill and the journal."""
    run_id = ""
    codes: list[int] = []
    problems: list[str] = []
    environment = {**os.environ, "XDG_DATA_HOME": str(own), "TMPDIR": str(own)}
    struck = lived = 0.0
    while not codes or (codes[-1] and fault.resumed and len(codes) < 3):
        words = [provider.openai_url, fault.store, run_id]
        command = [sys.executable, __file__, "--work", *words]
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
            assert process.stderr
            if not codes:
                while answered(provider) < AFTER:
                    assert process.poll() is None, process.stderr.read()
                    time.sleep(0.02)
                fault.strike()
                struck = time.monotonic()
            errors = process.stderr.read().decode().strip().splitlines()
            codes.append(process.wait())
            lived = lived or time.monotonic() - struck
        if codes[-1]:
            problems.append(errors[-1][:300] if errors else "")
            fault.mend()
            if fault.resumed:
                with Journal.open(fault.store, create=False) as journal:
                    (run_id,) = journal.run_ids()
    row = {"exit_codes": codes, "problem": problems[0] if problems else "", **fault.note}
    row["process_ended_after_seconds"] = round(lived, 1)
    return row | held(fault, answered(provider), own)


def answered(provider: LoopbackProvider) -> int:
    """Number of whole answers that the provider billed."""
    return sum(charge.complete for charge in provider.charges)


def held(fault: Fault, billed: int, own: Path) -> dict[str, Any]:
    """Answers that the provider billed, and those in the journal or else in the spool files."""
    try:
        with Journal.open(fault.store, create=False) as journal:
            state = RunState.load(journal.run("last"))
            events = [one.event for one in state.log.events()]
    except MaxcodeError as error:
        spools = [*own.rglob("*.answers.jsonl"), *Path(fault.store).parent.glob("*.answers.jsonl")]
        kept = sum(len(path.read_text().splitlines()) for path in spools)
        problem = type(error).__name__
        return {"answers_billed": billed, "journal": problem, "answers_in_spool_files": kept}
    answers = [e for e in events if isinstance(e, Answered) and not e.call.problem]
    distinct = {(e.number, e.role, e.step, e.call.request, e.call.sample) for e in answers}
    return {
        "answers_billed": billed,
        "answers_in_the_journal": len(distinct),
        "charged_without_an_answer": sum(one.lost for one in state.account.usage.values()),
        "paid_twice": billed - len(distinct),
    }


def main() -> None:
    given = options(__doc__, faults=list(FAULTS), times=3, work=["", "", ""])
    if given.work[0]:
        work(*given.work)
        return
    rows = earlier("storage_faults").get("runs", [])
    rows = [row for row in rows if row["fault"] not in given.faults]
    for name in given.faults:
        for _ in range(1 if name == "SQLite is locked" else given.times):
            with ExitStack() as stack:
                place = Path(tempfile.mkdtemp(prefix="maxcode-"))
                stack.callback(shutil.rmtree, place, ignore_errors=True)
                own = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="maxcode-own-")))
                provider = stack.enter_context(
                    LoopbackProvider(lambda one: program(one).ljust(BYTES, "."), latency=LATENCY)
                )
                fault = stack.enter_context(FAULTS[name](place))
                now = load()
                rows.append({"fault": name, "load": now, **disturbed(fault, own, provider)})
            print(rows[-1], flush=True)
    save("storage_faults", {"answers": ANSWERS, "fault_after": AFTER, "runs": rows})


if __name__ == "__main__":
    main()
