"""Files in shared memory: who may see them, how large they get, and that they go."""

import os
import subprocess
import sys
from pathlib import Path
from time import monotonic

import pytest

from maxcode.errors import ToolError
from maxcode.executors.kernel.exchange import Exchange
from maxcode.system import sweep_scratch

MIB = 1 << 20


def test_a_new_size_forgets_what_was_there_and_the_same_keeps_it() -> None:
    with Exchange(MIB) as exchange:
        file = exchange.outputs()
        file.resize(4)
        assert file.path.read_bytes() == bytes(4)
        file.path.write_bytes(b"old!")
        file.resize(4)
        assert file.path.read_bytes() == b"old!"
        file.resize(6)
        assert file.path.read_bytes() == bytes(6)


def test_nobody_else_gets_there() -> None:
    with Exchange(MIB) as exchange:
        file = exchange.outputs()
        assert file.path.parent.stat().st_mode & 0o777 == 0o700
        assert file.path.stat().st_mode & 0o777 == 0o644


def test_memory_that_is_not_there_is_noticed_at_once() -> None:
    with Exchange(1 << 60) as exchange, pytest.raises(ToolError, match="there is no room for"):
        exchange.outputs().resize(1 << 50)


def test_it_leaves_nothing() -> None:
    exchange = Exchange(MIB)
    file = exchange.outputs()
    file.resize(100)
    folder = file.path.parent
    before = os.listdir("/proc/self/fd")
    exchange.close()
    exchange.close()
    assert not folder.exists()
    assert len(os.listdir("/proc/self/fd")) == len(before) - 2


_KILLED = """
import os, signal
from maxcode.executors.kernel.exchange import Exchange
from maxcode.system import sweep_scratch
exchange = Exchange(1 << 20)
print(exchange.outputs().path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_is_removed_by_the_next() -> None:
    run = subprocess.run([sys.executable, "-c", _KILLED], capture_output=True, check=False)
    left = Path(run.stdout.decode().strip())
    assert left.exists()
    with Exchange(MIB) as living:
        until = monotonic() + 30  # another process may be about to remove it
        while left.parent.exists() and monotonic() < until:
            sweep_scratch()
        assert not left.parent.exists()
        assert living.outputs().path.exists()
