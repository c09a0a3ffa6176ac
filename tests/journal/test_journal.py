"""The journal on SQLite and on PostgreSQL: what was appended is there, once and in order."""

import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from tests._runs import begun

from maxcode.errors import JournalError, WriterError
from maxcode.evaluation import Baseline, Critique, Measurement
from maxcode.journal.events import BaselineMeasured, Committed, Critiqued, Event, Stopped
from maxcode.journal.journal import Journal, RunLog
from maxcode.program import Program

pytest_plugins = ["tests._postgresql"]

_EVENTS: list[Event] = [
    BaselineMeasured(baseline=Baseline((Measurement("wall", "s", (0.1, 0.3)),), "é \0 😀 \r\n")),
    Critiqued(number=0, step=0, critique=Critique("quote ' and \" and \\ and %s and :name")),
    Committed(number=0),
    Stopped(status="done", reason=""),
]

_WRITER = """
import sys
from maxcode.journal.events import Committed
from maxcode.journal.journal import Journal, RunLog
from maxcode.program import Program

log = RunLog(Journal.open(sys.argv[1]).store, sys.argv[2])
for number in range(int(sys.argv[3])):
    program = Program.of(f"program {number}")
    log.append(Committed(number=number), named=[program])
    print(number, program.digest, flush=True)
"""


@pytest.fixture
def journal(store_url: str) -> Iterator[Journal]:
    with Journal.open(store_url) as journal:
        yield journal


@pytest.fixture
def log(journal: Journal) -> RunLog:
    return journal.create_run("a task")


def _numbers(log: RunLog, after: int = -1) -> list[int]:
    """The numbers of the Committed events; they must be in their places."""
    found = list(log.events(after))
    assert [recorded.seq for recorded in found] == list(range(after + 1, after + 1 + len(found)))
    return [r.event.number for r in found if isinstance(r.event, Committed)]


@contextmanager
def _writer(url: str, log: RunLog, count: int) -> Iterator[subprocess.Popen[str]]:
    """A process that appends ``count`` events, each with a program, and reports each."""
    command = [sys.executable, "-c", _WRITER, url, log.run_id, str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


# -- events ------------------------------------------------------------------------------------


def test_events_come_back_in_order_from_a_store_opened_again(store_url: str) -> None:
    with Journal.open(store_url) as journal:
        log = journal.create_run("a task")
        written = log.append(*_EVENTS[:3]) + log.append(_EVENTS[3], sync=True)
    with Journal.open(store_url, create=False) as journal:
        assert list(journal.run(log.run_id).events()) == written
    assert [recorded.event for recorded in written] == _EVENTS
    assert [recorded.seq for recorded in written] == [0, 1, 2, 3]


@pytest.mark.slow
def test_long_runs_are_read_whole_and_from_any_place(log: RunLog) -> None:
    log.append(*(Committed(number=number) for number in range(1203)))
    assert _numbers(log) == list(range(1203))
    assert _numbers(log, after=0) == list(range(1, 1203))
    assert _numbers(log, after=1201) == [1202]
    assert _numbers(log, after=1202) == []


@pytest.mark.slow
def test_threads_append_to_one_run_without_gaps(log: RunLog) -> None:
    def append(number: int) -> None:
        log.append(Committed(number=number), named=[Program.of(f"{number % 7}")])

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(append, range(160)))
    assert sorted(_numbers(log)) == list(range(160))


# -- one writer, many readers ------------------------------------------------------------------


def test_a_second_writer_is_refused_and_the_first_goes_on(store_url: str, log: RunLog) -> None:
    log.append(Committed(number=0))
    with Journal.open(store_url) as other:
        second = other.run(log.run_id)
        second.append(Committed(number=1))  # the run goes on there
        program = Program.of("lost")
        for _ in range(2):
            with pytest.raises(WriterError, match=f"{log.run_id}: another process is writing"):
                log.append(Committed(number=99), Committed(number=98), named=[program])
        second.append(Committed(number=2))
        assert _numbers(second) == [0, 1, 2]
        with pytest.raises(JournalError, match="holds no program"):
            second.check_program(program.digest)


def test_what_append_returned_for_outlives_a_kill(store_url: str, log: RunLog) -> None:
    reported: list[tuple[int, str]] = []
    with _writer(store_url, log, 10**6) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if not line.endswith("\n"):
                break  # cut by the signal
            name, digest = line.split()
            reported.append((int(name), digest))
            if len(reported) == 100:
                process.kill()  # what it reports until the signal arrives is read too
    assert process.returncode < 0
    assert len(reported) >= 100
    found = _numbers(log)
    assert found[: len(reported)] == [number for number, _ in reported]
    for number, digest in reported:
        assert log.program(digest).code == f"program {number}"
    log.append(Committed(number=len(found)))
    assert _numbers(log) == list(range(len(found) + 1))


# -- programs ----------------------------------------------------------------------------------


def test_a_program_of_many_files_comes_back_equal(store_url: str, log: RunLog) -> None:
    program = Program({"b.cpp": "é\r\n\0\n", "a.h": "", "lib/c.h": "x" * 100_000}, "b.cpp")
    log.append(Committed(number=0), named=[program])
    with Journal.open(store_url, create=False) as other:
        again = other.run(log.run_id).program(program.digest)
        assert again == program
        assert again.entry == "b.cpp"
        assert dict(again.files) == dict(program.files)
        assert len(again.files) == 3
        assert again.with_code("new").files["lib/c.h"] == "x" * 100_000
        assert again.diff(program.with_code("new")) == program.diff(program.with_code("new"))


@pytest.mark.slow
def test_many_programs_take_little_memory_and_can_all_be_read(log: RunLog) -> None:
    size, count, batch = 16_000, 1000, 100

    def make(number: int) -> Program:
        return Program.of(f"{number}:".ljust(size, "x"))

    tracemalloc.start()
    try:
        digests = []
        for start in range(0, count, batch):
            programs = [make(number) for number in range(start, start + batch)]
            log.append(Committed(number=start), named=programs)
            digests += [program.digest for program in programs]
            del programs
        stored = [log.program(digest) for digest in digests]
        assert all(stored[n].code == make(n).code for n in range(0, count, 3))
        memory, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert memory < size * count / 3
    assert stored[0].code.startswith("0:")


def test_the_last_event_of_every_run_is_known_newest_run_first(journal: Journal) -> None:
    assert journal.last_events() == {}
    first, second = begun(journal), begun(journal)
    first.append(Committed(number=0), Committed(number=1))
    assert list(journal.last_events().items()) == [(second.run_id, 0), (first.run_id, 2)]
