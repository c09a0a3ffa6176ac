"""Plugin of pytest: the processor seconds of every test, with all processes that came of it.

Seconds by the clock say little on a machine that others use. Those of the processor are counted by
Linux for a control group, which pytest enters here with whatever it starts; that takes root and
the controller cpuacct of control groups, version 1. They are added to the file that
PROCESSOR_SECONDS names, a line for each test, and read by benchmarks/test_run.py.

Usage: PROCESSOR_SECONDS=after.jsonl PYTHONPATH=benchmarks pytest -p processor_seconds tests/FOLDER
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest

_GROUP = Path("/sys/fs/cgroup/cpuacct") / f"processor-seconds-{os.getpid()}"
_FILE = Path(os.environ["PROCESSOR_SECONDS"])

_GROUP.mkdir()
(_GROUP / "cgroup.procs").write_text(str(os.getpid()))


def _used() -> float:
    return int((_GROUP / "cpuacct.usage").read_text()) / 1e9


def _note(what: str, seconds: float) -> None:
    with _FILE.open("a") as file:
        file.write(json.dumps([what, round(seconds, 3)]) + "\n")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Count what finding the tests takes."""
    before = _used()
    found = yield
    _note("collection", _used() - before)
    return found


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Count what a test takes, with the fixtures that it is the first to need."""
    before = _used()
    found = yield
    _note(item.nodeid, _used() - before)
    return found


def pytest_unconfigure() -> None:
    """Leave the group, which is removed once all that was started has ended."""
    (_GROUP.parent / "cgroup.procs").write_text(str(os.getpid()))
    try:
        _GROUP.rmdir()
    except OSError:
        print(f"{_GROUP} holds processes that outlive the run")
