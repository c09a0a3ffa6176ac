"""What Weights & Biases writes offline; nothing leaves this machine, no process stays."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests._later import Later, needs

from maxcode.budget import Budget
from maxcode.journal.journal import Journal
from maxcode.report.wandb import WandB
from maxcode.search.search import Search
from maxcode.text import factor

wandb: Any = Later("wandb")
pytestmark = [
    pytest.mark.slow,
    needs("wandb"),
    pytest.mark.filterwarnings("ignore:Implicitly cleaning up:ResourceWarning"),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where it keeps everything; its helper process is gone afterwards."""
    for name in ("WANDB_DIR", "WANDB_DATA_DIR", "WANDB_CACHE_DIR", "WANDB_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    yield tmp_path
    wandb.teardown()
    gc.collect()  # its temporary folders, while their warning is expected


def _children() -> str:
    """The commands of the processes that this one has started."""
    found = [pid for file in Path("/proc/self/task").glob("*/children") for pid in _words(file)]
    return " ".join(word for pid in found for word in _words(Path("/proc", pid, "cmdline")))


def _words(file: Path) -> list[str]:
    return file.read_text().replace("\0", " ").split() if file.exists() else []


@pytest.mark.slow
def test_a_run_is_written_offline_and_in_silence(
    place: Path,
    full: Callable[..., Search],
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("WANDB_MODE", "offline")
    search = full(budget=Budget(evaluations=6), observers=[WandB("speed")])
    result = search.run()
    wandb.teardown()  # which ends its helper process, as the end of Python does
    assert "wandb" not in _children()
    (written,) = place.glob(f"wandb/offline-run-*/run-{search.run_id}.wandb")
    kept = written.read_bytes()
    assert b"best/speedup" in kept
    assert b"ToyPolicy" in kept
    assert f"{factor(result.speedup.value)} faster".encode() in kept
    assert kept.count(b"spent/seconds") >= 7  # a point for each evaluation, and the baseline
    assert capfd.readouterr() == ("", "")


def test_nobody_is_asked_for_a_key(
    place: Path, toy: Callable[..., Search], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.setenv("NETRC", str(place / "none"))
    logger, told = WandB("speed"), list[str]()
    logger.report = told.append
    toy(observers=[logger]).run()
    (problem,) = told
    assert "not logged in; run wandb login, or set WANDB_MODE=offline" in problem
