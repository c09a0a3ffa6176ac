"""Ctrl-C and SIGTERM: the result so far, an exit code, and a run that can go on."""

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Start = Callable[..., "subprocess.Popen[str]"]
Run = Callable[..., "subprocess.CompletedProcess[str]"]
SEARCH = (
    *("--sandbox", "process", "--generator", "proposer:Proposer", "--policy", "maxcode:k=1"),
    *("--fuzz", "0"),
)


def _await_line(process: "subprocess.Popen[str]", text: str) -> None:
    assert process.stderr
    for line in process.stderr:
        if text in line:
            return
    pytest.fail(f"it never said {text!r}")


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_an_interrupted_run_reports_and_can_be_resumed(
    start: Start, maxcode: Run, task: Path, number: signal.Signals
) -> None:
    with start("optimize", str(task), *SEARCH, "--budget", "evaluations=5", "--json") as process:
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

    listed = json.loads(maxcode("runs", "--json").stdout)["runs"]
    assert [line["status"] for line in listed] == ["interrupted"]
    done = maxcode("resume", found["run_id"], "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "done"
    assert json.loads(done.stdout)["evaluations"] == 5


def test_interrupted_before_anything_was_measured_leaves_nothing(
    start: Start, maxcode: Run, task: Path
) -> None:
    program = task / "main.cpp"
    program.write_text(program.read_text().replace("10000000", "10000000000"))
    with start("optimize", str(task), *SEARCH, "--json") as process:
        _await_line(process, "timing the baseline")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert "interrupted" in err
    assert "Traceback" not in err
    assert json.loads(maxcode("runs", "--json").stdout)["total"] == 0


@pytest.mark.slow
def test_a_second_interrupt_leaves_at_once_and_the_run_was_killed(
    start: Start, maxcode: Run, task: Path
) -> None:
    with start("optimize", str(task), *SEARCH, "--budget", "evaluations=5", "--json") as process:
        _await_line(process, "new best")
        process.send_signal(signal.SIGINT)
        _await_line(process, "stopping")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    listed = json.loads(maxcode("runs", "--json").stdout)["runs"]
    assert listed[0]["status"] in ("killed", "interrupted")
    assert maxcode("resume", "last", "--json").returncode == 0
