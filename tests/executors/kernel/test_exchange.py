"""Files in shared memory: who may see them, how large they get, and that they go."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.executors.kernel.exchange import Exchange

MIB = 1 << 20


def test_a_new_size_forgets_what_was_there_and_the_same_keeps_it() -> None:
    with Exchange(MIB) as exchange:
        exchange.inputs.resize(4)
        assert exchange.inputs.path.read_bytes() == bytes(4)
        exchange.inputs.write(b"old!")
        exchange.inputs.resize(4)
        assert exchange.inputs.path.read_bytes() == b"old!"
        exchange.inputs.resize(6)
        assert exchange.inputs.path.read_bytes() == bytes(6)


def test_a_file_that_was_cut_is_made_whole_again() -> None:
    with Exchange(MIB) as exchange:
        exchange.inputs.resize(100)
        os.truncate(exchange.inputs.path, 30)
        exchange.inputs.resize(100)
        assert exchange.inputs.path.read_bytes() == bytes(100)


def test_nobody_else_gets_there() -> None:
    with Exchange(MIB) as exchange:
        folder = exchange.inputs.path.parent
        assert folder.stat().st_mode & 0o777 == 0o700
        assert exchange.inputs.path.stat().st_mode & 0o777 == 0o644


def test_memory_that_is_not_there_is_noticed_at_once() -> None:
    with Exchange(1 << 60) as exchange, pytest.raises(ToolError, match="there is no room for"):
        exchange.inputs.resize(1 << 50)


def test_it_leaves_nothing() -> None:
    exchange = Exchange(MIB)
    exchange.outputs().resize(100)
    folder = exchange.inputs.path.parent
    before = os.listdir("/proc/self/fd")
    exchange.close()
    exchange.close()
    assert not folder.exists()
    assert len(os.listdir("/proc/self/fd")) == len(before) - 3


_KILLED = """
import os, signal
from maxcode.executors.kernel.exchange import Exchange
exchange = Exchange(1 << 20)
print(exchange.inputs.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


_NEXT = """
from maxcode.executors.kernel.exchange import Exchange
with Exchange(1 << 20) as living:
    assert living.inputs.path.exists()
"""


def test_what_a_killed_process_left_is_removed_by_the_next() -> None:
    run = subprocess.run([sys.executable, "-c", _KILLED], capture_output=True, check=False)
    left = Path(run.stdout.decode().strip())
    assert left.exists()
    assert subprocess.run([sys.executable, "-c", _NEXT], check=True)
    assert not left.parent.exists()
