"""Clocks of a GPU, with a stand-in for nvidia-smi."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.executors.kernel.clocks import VARIABLE, Clocks, lock, unlock, watched
from maxcode.executors.kernel.machine import Gpu

GPU = Gpu(Path("/dev/nvidia0"), (), "GPU-1")
Smi = Callable[[str], Path]


@pytest.fixture
def smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Smi:
    """Puts an nvidia-smi of these lines of shell in the PATH; gives the file of its calls."""

    def put(script: str) -> Path:
        calls, path = tmp_path / "calls", tmp_path / "nvidia-smi"
        path.write_text(f'#!/bin/sh\necho "$*" >> {calls}\n{script}\n')
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return calls

    return put


def looping(lines: str, known: str = "clocks_event_reasons") -> str:
    """One that prints these lines when it is to loop, and goes on."""
    return (
        f'case "$*" in *{known}*loop-ms*) {lines} touch "$0.printed"; exec sleep 100;;\n'
        f'*{known}*) echo "345, 0x0000000000000001";; *) exit 2;; esac'
    )


def seen(folder: Path, before: Clocks | None = None) -> str:
    """What is seen until the stand-in has printed all."""
    with watched(GPU, tuple(os.sched_getaffinity(0)), before) as found:
        until = time.monotonic() + 30
        while not (folder / "nvidia-smi.printed").exists() and time.monotonic() < until:
            time.sleep(0.01)
    return str(found)


def test_a_range_and_what_held_it_back(smi: Smi, tmp_path: Path) -> None:
    smi(looping("echo '345, 0x1'; echo '1980, 0x0'; echo '1410, 0x24';"))
    assert seen(tmp_path) == (
        "at 1410 to 1980 MHz, held back by the limit of its power and its temperature"
    )


def test_a_clock_that_stays_is_one(smi: Smi, tmp_path: Path) -> None:
    smi(looping("echo '1980, 0x0'; echo '1965, 0x0';"))
    assert seen(tmp_path) == "at 1965 MHz"


def test_older_drivers_have_another_word(smi: Smi, tmp_path: Path) -> None:
    calls = smi(looping("echo '1500, 0x0'; echo '[N/A], [N/A]';", "clocks_throttle_reasons"))
    assert seen(tmp_path) == "at 1500 MHz"
    assert all(line.startswith("-i GPU-1 ") for line in calls.read_text().splitlines())


def test_what_was_seen_before_counts_too(smi: Smi, tmp_path: Path) -> None:
    smi(looping("echo '1500, 0x0';"))
    before = Clocks([1980])
    seen(tmp_path, before)
    assert str(before) == "at 1500 to 1980 MHz"


def test_nothing_is_seen_where_nothing_can_be(smi: Smi) -> None:
    smi("exit 9")
    with watched(GPU) as found:
        pass
    assert not str(found)
    with watched(None) as found:
        pass
    assert not str(found)


def test_a_machine_without_nvidia_smi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with watched(GPU) as found:
        pass
    assert not str(found)


def test_it_is_locked_when_it_is_asked_for_only(smi: Smi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    calls = smi("exit 0")
    assert not lock(GPU)
    assert not calls.exists()
    monkeypatch.setenv(VARIABLE, "1500")
    assert lock(GPU)
    unlock(GPU)
    assert calls.read_text() == "-i GPU-1 --lock-gpu-clocks=1500\n-i GPU-1 --reset-gpu-clocks\n"


def test_who_may_not_lock_it_is_told(smi: Smi, monkeypatch: pytest.MonkeyPatch) -> None:
    smi("echo 'The current user does not have permission'; exit 4")
    monkeypatch.setenv(VARIABLE, "1500")
    with pytest.raises(ToolError, match="does not have permission'; root may lock clocks"):
        lock(GPU)
    monkeypatch.setenv(VARIABLE, "fast")
    with pytest.raises(ToolError, match="'fast'; it takes a number of MHz"):
        lock(GPU)
