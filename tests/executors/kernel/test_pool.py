"""Workers that stand ready, and that go."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from tests.executors.kernel._asking import LONG, READY_LINE, Scripted, told

from maxcode.errors import ExecutorError
from maxcode.executors.kernel.workers import READY, WorkerError, WorkerPool, WorkerSetting
from maxcode.sandbox.base import Sandbox

_ANSWER = """
while read -r line; do
    token=$(echo "$line" | base64 -d | grep -aoE '[0-9a-f]{16}' | head -n 1)
    echo '{"answer": null, "token": "'"$token"'"}' >&3
done
"""


def until(true: Callable[[], bool]) -> bool:
    """Wait for it, not for ever."""
    give_up = time.monotonic() + 30
    while not (found := true()) and time.monotonic() < give_up:
        time.sleep(0.01)
    return found


def family() -> set[int]:
    """Processes that came of this one."""
    found = {os.getpid()}
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
        except OSError:
            continue
        state, parent = re.sub(r".*\) ", "", stat).split()[:2]
        if state not in "ZX":
            parents[int(folder.name)] = int(parent)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def kept() -> int:
    """How many workers this process believes to be alive."""
    return sum(thread.name == "maxcode-running" for thread in threading.enumerate())


@pytest.mark.slow
def test_a_worker_with_torch_is_for_one_candidate(
    sandbox: Sandbox, setting: WorkerSetting, tmp_path: Path
) -> None:
    before = family()
    with WorkerPool(sandbox, setting, tmp_path, standing=1) as pool:
        with pool.take() as first:
            assert told(first, "add", [1, 2]) == 3
        with pool.take() as second:
            assert second is not first
            assert told(second, "add", [1, 2]) == 3
    assert family() <= before


@pytest.mark.slow
def test_one_that_dies_while_it_stands_is_passed_over(
    sandbox: Sandbox, scripted: Scripted, tmp_path: Path
) -> None:
    before, known = family(), kept()
    with WorkerPool(sandbox, scripted(READY_LINE + _ANSWER), tmp_path, standing=2) as pool:
        pool.take().close()
        assert until(lambda: len(family() - before) >= 4)  # bubblewrap, supervisor, twice
        for pid in family() - before:
            with suppress(ProcessLookupError):  # it went with another
                os.kill(pid, signal.SIGKILL)
        assert until(lambda: family() <= before and kept() == known)
        for _ in range(3):
            with pool.take() as worker:
                assert worker.ask("probe", (), READY, LONG) is None


@pytest.mark.slow
def test_taking_one_fails_if_none_can_be_started(
    sandbox: Sandbox, scripted: Scripted, tmp_path: Path
) -> None:
    with WorkerPool(sandbox, scripted("echo no luck >&2; exit 3"), tmp_path) as pool:
        for _ in range(3):
            with pytest.raises(WorkerError, match=r"ended with status 3.*no luck"):
                pool.take()


@pytest.mark.slow
def test_the_end_does_not_wait_for_those_that_start(
    sandbox: Sandbox, scripted: Scripted, tmp_path: Path
) -> None:
    before = family()
    pool = WorkerPool(sandbox, scripted("sleep 97"), tmp_path)
    with ThreadPoolExecutor(1) as taking:
        waits = taking.submit(pool.take)
        assert until(lambda: len(family() - before) >= 4)
        pool.close()
        with pytest.raises(ExecutorError):
            waits.result()
    assert family() <= before
    pool.close()
    with pytest.raises(ExecutorError, match="is closed"):
        pool.take()


_KILLED = """
    import sys, time
    from pathlib import Path
    from maxcode.executors.kernel.shared_file import shared_folder
    from maxcode.executors.kernel.workers import CANDIDATE, WorkerPool, WorkerSetting
    from maxcode.sandbox.bubblewrap import BubblewrapSandbox

    memory = shared_folder(1 << 20)
    pool = WorkerPool(BubblewrapSandbox(), WorkerSetting(CANDIDATE), memory.path, standing=1)
    print(memory.path, flush=True)
    worker = pool.take()
    forking = "import os, time\\nif os.fork() == 0: time.sleep(97)"
    given = {"a.py": forking}, "a.py", False
    print(worker.ask("load", given, bool, 60), flush=True)
    time.sleep(600)
"""
_NEXT = """
from maxcode.executors.kernel.shared_file import shared_folder
shared_folder(1 << 20).remove()
"""


@pytest.mark.slow
def test_no_process_is_left_when_we_are_killed(sandbox: Sandbox, tmp_path: Path) -> None:
    before = family()
    command = [sys.executable, "-c", textwrap.dedent(_KILLED)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as ours:
        assert ours.stdout is not None
        folder = Path(ours.stdout.readline().decode().strip())
        assert folder.exists()
        assert b"False" in ours.stdout.readline()
        grown = family() - before
        assert len(grown) >= 5  # itself, bubblewrap, a supervisor, the worker and a child
        ours.kill()
    assert until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in grown))
    subprocess.run([sys.executable, "-c", _NEXT], env=environment, check=True)
    assert until(lambda: not folder.exists())
