"""`maxcode judge --audit`: kernel tasks that are passed without computing, or are broken."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from maxcode.cli import judge
from maxcode.executors.kernel import machine
from maxcode.sandbox.base import Sandbox

pytestmark = pytest.mark.slow


SOUND = """\
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return torch.sin(x)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
"""


@pytest.fixture
def level(folder: Path) -> Path:
    path = folder / "level1"
    path.mkdir()
    (path / "10_Broken.py").write_text(SOUND.replace("class Model(", "class Net("))
    (path / "9_Sound.py").write_text(SOUND)
    (path / "2_Clamped.py").write_text(SOUND.replace("sin(x)", "clamp(x, 7, 7)"))
    (path / "3_Failing.py").write_text(SOUND.replace("[torch.randn(16, 64)]", "1 / 0"))
    (path / "__init__.py").touch()
    return path


def test_every_task_is_a_row(
    inside: Run, level: Path, warmed: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "sandbox_named", lambda _: warmed)
    done = inside("judge", str(level), "--audit", "--json", code=1)
    rows = json.loads(done.stdout)["tasks"]
    assert [Path(row["task"]).stem for row in rows] == [
        *("2_Clamped", "3_Failing"),
        *("9_Sound", "10_Broken"),
    ]
    assert [row["verdict"] for row in rows] == ["degenerate", "error", "ok", "error"]
    trivial = ["a constant", "the answer to other inputs"]
    assert rows[0]["passing"] == [f"default: {one}" for one in trivial]
    assert "ZeroDivisionError" in rows[1]["error"]
    assert "3_Failing" in rows[1]["error"]
    assert "defines no class Model" in rows[3]["error"]


def test_a_table_and_an_exit_code(inside: Run, level: Path) -> None:
    broken = level / "10_Broken.py"
    done = inside("judge --audit", str(broken), "--sandbox", "process")
    assert done.returncode == (1 if find_spec("torch") else 2)
    if find_spec("torch"):
        assert "defines no class Model" in done.stdout
        assert "1 task: 0 would be passed without computing, 1 could not be" in done.stdout


def test_what_cannot_be_audited_at_all(
    inside: Run, folder: Path, level: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "empty").mkdir()
    for arguments, said in (
        (("nowhere",), "there is no task or folder nowhere"),
        (("empty",), "empty holds no kernel tasks"),
        ((str(level), "--mode", "loose"), "unknown mode 'loose'"),
        ((str(level), "--small"), "--small and --inputs are for programs"),
    ):
        inside("judge --audit", *arguments, code=2, says=said)
    monkeypatch.setattr(machine, "find_spec", lambda name: None)
    inside("judge --audit", str(level), code=2, says="pip install 'maxcode[kernels]'")
