"""benchmarks/gpu_campaign.py on a simulated GPU: it begins, writes what it did, and goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from maxcode.sandbox.base import Sandbox

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "gpu_campaign.py"


def campaign(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_what_there_is_to_do_is_listed_by_part(kernel_sandbox: Sandbox) -> None:
    done = campaign("--list", "verdicts", "power")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("power: ")  # in the order of what parts are worth
    assert "power: softmax/0.05/0" in lines
    assert not [line for line in lines if line.startswith("equals")]


def test_a_part_that_is_none_is_named(kernel_sandbox: Sandbox) -> None:
    done = campaign("--list", "everything")
    assert done.returncode == 2
    assert "there is no part everything" in done.stderr


def test_parts_run_on_a_simulated_gpu(kernel_sandbox: Sandbox, tmp_path: Path) -> None:
    done = campaign("--dry-run", "protocol", "verdicts", "seconds", "--results", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "protocol: clocks: " in done.stdout
    first = json.loads((tmp_path / "gpu_campaign.json").read_text())["parts"]
    assert [len(items) for items in first.values()] == [1, 1, 1]
    assert first["verdicts"]["conv_block/cheat_bfloat16.py"]["status"] == "WRONG_ANSWER"
    assert not any(one.get("problem") for items in first.values() for one in items.values())
    again = campaign("--dry-run", "verdicts", "--results", str(tmp_path))
    assert "verdicts: conv_block/cheat_skip.py" in again.stdout, again.stderr


def test_a_search_runs_on_a_simulated_gpu_with_its_report(
    kernel_sandbox: Sandbox, tmp_path: Path
) -> None:
    done = campaign("--dry-run", "searches", "--results", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "gpu_campaign.json").read_text())["parts"]["searches"]["softmax"]
    assert found["tuned"]
    assert found["bytes"] > 10000
    assert json.loads(found["optimize"]["out"])["evaluations"] > 1  # the pool has one


def test_an_item_that_takes_too_long_is_ended_and_the_next_goes_on(
    kernel_sandbox: Sandbox, tmp_path: Path
) -> None:
    given = ("--dry-run", "power", "memory", "--item", "0.2", "--results", str(tmp_path))
    done = campaign(*given)
    assert done.returncode == 2, done.stderr
    parts = json.loads((tmp_path / "gpu_campaign.json").read_text())["parts"]
    assert parts["power"]["conv_block/0.02/0"]["problem"] == "it was ended after 0.2 s"
    assert parts["memory"]["50"]["problem"] == "it was ended after 0.2 s"
    assert "memory: 1 of 10 done, 1 with a problem" in done.stdout
    again = campaign(*given)  # what failed comes last
    assert "power: conv_block/0.05/0: " in again.stdout, again.stderr
    assert "power: conv_block/0.02/0: " not in again.stdout


def test_nothing_is_begun_when_time_is_over(kernel_sandbox: Sandbox, tmp_path: Path) -> None:
    done = campaign("--dry-run", "power", "--seconds", "1", "--results", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "power: 0 of 144 done\n"


def test_clocks_are_locked_in_the_middle_and_unlocked_again(
    kernel_sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool, log = tmp_path / "bin" / "nvidia-smi", tmp_path / "log"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\necho "$1" "$2" >> {log}\necho 1980\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    done = {"parts": {"protocol": {"clocks": {"took": 0.0}}}}
    (tmp_path / "gpu_campaign.json").write_text(json.dumps(done))
    ended = campaign("--dry-run", "protocol", "--results", str(tmp_path))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    parts = json.loads((tmp_path / "gpu_campaign.json").read_text())["parts"]
    found = parts["protocol"]["clocks"]
    assert found["lock"]["allowed"]
    assert found["steady"]["ratio"][1] > 1.2
    assert found["changed"]["ratio"][1] > 1.2
    assert found["changed"]["clocks"] == ["1980"]
    told = [line for line in log.read_text().splitlines() if not line.startswith("--query")]
    assert told == ["-lgc 990,990", "-rgc "]
