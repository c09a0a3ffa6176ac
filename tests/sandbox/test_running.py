"""Talking with a program that runs, in every sandbox."""

import math
import os
import signal
import subprocess
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.conftest import until

from maxcode.sandbox.base import Files, Limits, Sandbox
from maxcode.sandbox.running import NoLine, Running

MIB = 1 << 20
LONG = 20.0  # seconds, for what comes at once unless the machine is busy
STANDING = Limits(seconds=math.inf)
ECHO = 'while read -r line; do echo "<$line>" >&3; done; echo bye; echo oops >&2'

Start = Callable[..., Running]


@pytest.fixture
def start(sandbox: Sandbox) -> Start:
    """Starts a script in each sandbox."""

    def start(script: str, limits: Limits = STANDING, files: Files | None = None) -> Running:
        return sandbox.start(["/bin/sh", "-c", script], limits, files or Files())

    return start


# -- talking -------------------------------------------------------------------------------------


def test_lines_go_to_and_fro(start: Start) -> None:
    with start(ECHO) as running:
        for line in (b"one", b"", b"\xff\0 two"):
            assert running.send(line, LONG)
            assert running.receive(LONG) == b"<" + line.replace(b"\0", b"") + b">"


def test_nobody_waits_for_ever(start: Start) -> None:
    with start("read -r line; sleep 60") as running:
        assert running.receive(0.05) is NoLine.LATE
        assert running.receive(0) is NoLine.LATE
        assert not running.send(bytes(4 * MIB), 0.05)
        assert running.alive


def test_a_file_follows_a_line(start: Start, tmp_path: Path) -> None:
    content = bytes(range(256)) * 20_000
    (tmp_path / "file").write_bytes(content + b"more")
    with start("read -r line; head -c 5120000 | cksum >&3") as running:
        assert running.send(b"take it", LONG)
        with (tmp_path / "file").open("rb") as file:
            assert running.send_file(file.fileno(), len(content), LONG)
            said = running.receive(LONG)
            command = ["/usr/bin/cksum"]
            expected = subprocess.run(command, input=content, capture_output=True, check=True)
            assert said == expected.stdout.strip()


@pytest.mark.parametrize("script", ["cat /dev/zero >&3", "yes | tr -d '\\n' >&3"])
def test_a_line_without_end_is_not_received(script: str, start: Start) -> None:
    with start(script) as running:
        assert running.receive(LONG, longest=1000) is NoLine.TOO_LONG
        assert running.receive(LONG, longest=1000) is NoLine.TOO_LONG


# -- the end -------------------------------------------------------------------------------------


def test_it_learns_that_it_is_to_end(start: Start) -> None:
    with start(ECHO) as running:
        completed = running.close(LONG)
    assert (completed.ok, completed.stdout, completed.stderr) == (True, b"bye\n", b"oops\n")
    assert running.close() == running.kill() == completed
    assert not running.alive
    assert running.receive(LONG) is NoLine.ENDED
    assert not running.send(b"too late", LONG)


def test_one_that_does_not_want_to_end_is_killed(start: Start) -> None:
    with start("trap '' TERM; sleep 60") as running:
        assert running.close(0.05).code == -signal.SIGKILL


def test_all_that_came_of_it_is_gone_with_it(start: Start, marker: Any) -> None:
    script = f"{marker.sleeper} & ((setsid {marker.sleeper} &) &); echo x >&3; sleep 60; :"
    with start(script) as running:
        assert running.receive(LONG) == b"x"
        assert until(lambda: len(marker.processes()) >= 3)
        completed = running.kill()
        assert marker.processes() == []
    assert completed.code == -signal.SIGKILL
    assert completed.wall > 0


def test_it_outlives_the_thread_that_started_it(start: Start) -> None:
    """bubblewrap would end with it."""
    started: list[Running] = []
    thread = threading.Thread(target=lambda: started.append(start(ECHO)))
    thread.start()
    thread.join()
    time.sleep(0.2)
    with started[0] as running:
        assert running.send(b"still there", LONG)
        assert running.receive(LONG) == b"<still there>"


def test_nothing_of_ours_is_left(start: Start) -> None:
    def left() -> tuple[list[str], int]:
        return os.listdir("/proc/self/fd"), threading.active_count()

    start(ECHO).close(LONG)
    before = left()
    for _ in range(3):
        start(ECHO).close(LONG)
        start("sleep 60").kill()
    assert until(lambda: left() == before)


# -- limits and figures --------------------------------------------------------------------------


def test_processor_time_so_far(start: Start) -> None:
    count = "while [ $i -lt 20000 ]; do i=$((i + 1)); done; echo done >&3"
    with start(f"echo begin >&3; read -r go; i=0; {count}; read -r line") as running:
        assert running.receive(LONG) == b"begin"
        before = running.cpu
        assert running.send(b"go", LONG)
        assert running.receive(LONG) == b"done"
        assert running.cpu > 2 * before


def test_it_is_moved_to_other_processors(start: Start) -> None:
    last = max(os.sched_getaffinity(0))
    tell = "grep Cpus_allowed_list /proc/self/status >&3"
    with start(f"sleep 60 & echo >&3; read -r line; {tell}; {tell}; wait") as running:
        assert running.receive(LONG) == b""
        running.pin([last])
        assert running.send(b"", LONG)
        for _ in range(2):
            assert running.receive(LONG) == f"Cpus_allowed_list:\t{last}".encode()


def test_a_program_that_is_given_devices_takes_files_through_where_it_answers(start: Start) -> None:
    take = """
        import os, socket
        with socket.socket(fileno=os.dup(3)) as channel:
            [file] = socket.recv_fds(channel, 1, 4)[1]
        os.write(3, os.pread(file, 9, 0) + b"\\n")
    """
    files = Files(devices=(Path("/dev/null"),))
    script = f"exec /usr/bin/python3 -c '{textwrap.dedent(take)}'"
    given = os.memfd_create("given")
    os.write(given, b"from us")
    with start(script, STANDING, files) as running:
        running.send_files([given])
        os.close(given)
        assert running.receive(LONG) == b"from us"
