"""Answers paid twice by a search whose store fails for a while: a restart, a lock.

A search in a process of its own asks a loopback provider for 60 answers of 20 kB, eight at a time.
After twenty of them the fault comes. ``paid_twice`` are answers that the provider completed and
billed, less those that the journal holds at the end.

Usage: python benchmarks/storage_faults.py [--faults NAME ...] [--times 3]; figures of other faults
       are kept, and a lock is waited for once
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
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
from maxcode.journal.events import Answered
from maxcode.journal.state import RunState
from maxcode.models.openai import OpenAIModel

ANSWERS, BYTES, LATENCY = 60, 20_000, 0.2
AFTER = 20  # answers, then the fault comes
LOCKED, DOWN = 60.0, 3.0  # seconds


def work(url: str, store: str) -> None:
    """Run the search whose store fails."""
    model = OpenAIModel("model", base_url=url, max_tokens=BYTES // 4, price=PRICE)
    with Journal.open(store) as journal:
        asking(model, 100.0, journal, ANSWERS).run()


@dataclass
class Fault:
    """A store, and how it fails for a while."""

    store: str
    strike: Callable[[], None]
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


FAULTS: dict[str, Callable[[Path], Any]] = {
    "PostgreSQL is restarted": restarted,
    "SQLite is locked": locked,
}


# -- one run ---------------------------------------------------------------------------------------


def disturbed(fault: Fault, provider: LoopbackProvider) -> dict[str, Any]:
    """A search whose store fails; the bill and the journal."""
    command = [sys.executable, __file__, "--work", provider.openai_url, fault.store]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        assert process.stderr
        while answered(provider) < AFTER:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.02)
        fault.strike()
        errors = process.stderr.read().decode().strip().splitlines()
    row = {"exit_code": process.returncode, "problem": errors[-1][:300] if errors else ""}
    return row | fault.note | held(fault, answered(provider))


def answered(provider: LoopbackProvider) -> int:
    """Number of whole answers that the provider billed."""
    return sum(charge.complete for charge in provider.charges)


def held(fault: Fault, billed: int) -> dict[str, Any]:
    """Answers that the provider billed, and those in the journal."""
    with Journal.open(fault.store, create=False) as journal:
        state = RunState.load(journal.run("last"))
        events = [one.event for one in state.log.events()]
    answers = [e for e in events if isinstance(e, Answered) and not e.call.problem]
    distinct = {(e.number, e.role, e.step, e.call.request, e.call.sample) for e in answers}
    return {
        "answers_billed": billed,
        "answers_in_the_journal": len(distinct),
        "charged_without_an_answer": sum(one.lost for one in state.account.usage.values()),
        "paid_twice": billed - len(distinct),
    }


def main() -> None:
    given = options(__doc__, faults=list(FAULTS), times=3, work=["", ""])
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
                provider = stack.enter_context(
                    LoopbackProvider(lambda one: program(one).ljust(BYTES, "."), latency=LATENCY)
                )
                fault = stack.enter_context(FAULTS[name](place))
                now = load()
                rows.append({"fault": name, "load": now, **disturbed(fault, provider)})
            print(rows[-1], flush=True)
    save("storage_faults", {"answers": ANSWERS, "fault_after": AFTER, "runs": rows})


if __name__ == "__main__":
    main()
