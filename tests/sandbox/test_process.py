"""What becomes of a run whose maxcode, or whose supervisor, goes away."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.sandbox.conftest import until

from maxcode.errors import ExecutorError
from maxcode.sandbox.base import Limits, Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox

_SCRIPT = """
    import sys
    from maxcode.sandbox import bubblewrap
    from maxcode.sandbox.base import Limits
    from maxcode.sandbox.process import ProcessSandbox

    kind, how, script = sys.argv[1:]
    if kind == "user namespace":
        bubblewrap._is_administrator = lambda: False
    sandbox = ProcessSandbox() if kind == "process" else bubblewrap.BubblewrapSandbox()
    command, limits = ["/bin/sh", "-c", script], Limits(seconds=90)
    try:
        sandbox.run(command, limits) if how == "run" else sandbox.start(command, limits).receive(90)
    except KeyboardInterrupt:
        print("interrupted")
"""


def kind_of(sandbox: Sandbox) -> str:
    if isinstance(sandbox, ProcessSandbox):
        return "process"
    assert isinstance(sandbox, BubblewrapSandbox)
    return "bubblewrap" if sandbox._administrator else "user namespace"


def family(marker: Any) -> str:
    """A program, its child, and a daemon, who all carry the marker."""
    return f"{marker.sleeper} & ((setsid {marker.sleeper} &) &); : {marker.text}; sleep 60; :"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["run", "start"])
@pytest.mark.parametrize(
    ("number", "said"), [(signal.SIGINT, b"interrupted\n"), (signal.SIGKILL, b"")]
)
def test_all_ends_with_maxcode(
    number: signal.Signals, said: bytes, how: str, sandbox: Sandbox, marker: Any
) -> None:
    script = textwrap.dedent(_SCRIPT)
    command = [sys.executable, "-c", script, kind_of(sandbox), how, family(marker)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as ours:
        # ourselves, perhaps bubblewrap twice, the supervisor, three of the program and two to sleep
        assert until(lambda: len(marker.processes()) >= 5)
        ours.send_signal(number)
        assert ours.stdout is not None
        assert ours.stdout.read() == said
    assert until(lambda: not marker.processes())


@pytest.mark.slow
def test_a_supervisor_that_is_killed_takes_an_isolated_program_along(
    isolated: Sandbox, marker: Any
) -> None:
    raised: list[Exception] = []

    def run() -> None:
        try:
            isolated.run(["/bin/sh", "-c", family(marker)], Limits(seconds=90))
        except ExecutorError as error:
            raised.append(error)

    thread = Thread(target=run)
    thread.start()
    assert until(lambda: len(marker.processes()) >= 5)
    os.kill(supervisor_among(marker.processes()), signal.SIGKILL)
    thread.join()
    assert "killed from outside" in str(raised[0])
    assert marker.processes() == []


def supervisor_among(processes: list[int]) -> int:
    for pid in processes:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if b"/supervisor-" in words[0]:
            return pid
    raise AssertionError("no supervisor")
