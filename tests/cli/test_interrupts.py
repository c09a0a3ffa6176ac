"""Ctrl-C and SIGTERM: the result so far, an exit code, and a run that can go on."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run, Start

from maxcode.system import Interrupts

SEARCH = (
    "optimize doubling --sandbox process --generator proposer:Proposer --policy maxcode:k=1 "
    "--critic none --fuzz 0 --minimise 0 --budget evaluations=5 --json"
)


def _await_line(process: "subprocess.Popen[str]", text: str) -> None:
    assert process.stderr
    for line in process.stderr:
        if text in line:
            return
    pytest.fail(f"it never said {text!r}")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_reports_and_can_be_resumed(
    start: Start, inside: Run, task: Path, number: signal.Signals
) -> None:
    with start(SEARCH) as process:
        _await_line(process, "new best")
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "stopping after what is under way" in err
    found = json.loads(out)
    assert found["status"] == "interrupted"
    assert found["best"]["speedup"] > 1
    assert Path(found["best"]["program_path"]).exists()
    assert 1 <= found["evaluations"] < 5

    listed = json.loads(inside("runs --json").stdout)["runs"]
    assert [line["status"] for line in listed] == ["interrupted"]
    done = inside("resume", found["run_id"], "--json", code=0)
    assert json.loads(done.stdout)["status"] == "done"
    assert json.loads(done.stdout)["evaluations"] == 5


@pytest.mark.slow
def test_interrupted_before_anything_was_measured_leaves_nothing(
    start: Start, inside: Run, task: Path
) -> None:
    program = task / "main.cpp"
    program.write_text(program.read_text().replace("10000000", "10000000000"))
    with start(SEARCH) as process:
        _await_line(process, "timing the baseline")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert "interrupted" in err
    assert "Traceback" not in err
    assert json.loads(inside("runs --json").stdout)["total"] == 0


@pytest.mark.slow
def test_a_second_interrupt_leaves_at_once_and_the_run_was_killed(
    start: Start, maxcode: Run, task: Path
) -> None:
    with start(SEARCH) as process:
        _await_line(process, "new best")
        process.send_signal(signal.SIGINT)
        _await_line(process, "stopping")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    listed = json.loads(maxcode("runs --json").stdout)["runs"]
    assert listed[0]["status"] in ("killed", "interrupted")
    assert maxcode("resume last --json").returncode == 0


_WAITING = """
import signal, sys, time
from pathlib import Path
from threading import Event, Thread
from maxcode.system import Interrupts

leaving = Event()

def write():
    leaving.wait()
    time.sleep(0.1)  # an answer that has arrived is on its way to the disk
    Path(sys.argv[1]).write_text("kept")

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored where nohup started the tests
Thread(target=write, daemon=True).start()
with Interrupts(leaving=leaving.set):
    try:
        print("ready", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        print("stopping", flush=True)
    time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_second_signal_leaves_time_to_write_what_has_arrived(
    number: signal.Signals, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", _WAITING, str(tmp_path / "answer")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.stdout.readline() == "stopping\n"
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
    assert process.returncode == 130
    assert (tmp_path / "answer").read_text() == "kept"


def test_a_hangup_is_ignored_where_it_was() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with Interrupts():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
