"""`maxcode judge --audit`: kernel tasks that are passed without computing, or are broken."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import REFERENCE, Run

from maxcode.cli import judge
from maxcode.executors.kernel import machine
from maxcode.sandbox.base import Sandbox

pytestmark = pytest.mark.slow


SOUND = REFERENCE.replace("torch.relu(x) * 1e-6", "torch.sin(x)")


@pytest.fixture
def tasks(folder: Path) -> None:
    """References in KernelBench's format."""
    for name, text in {
        "sound": SOUND,
        "clamped": SOUND.replace("sin(x)", "clamp(x, 7, 7)"),
        "failing": SOUND.replace("[torch.randn(32, 64)]", "1 / 0"),
        "broken": SOUND.replace("class Model(", "class Net("),
    }.items():
        (folder / f"{name}.py").write_text(text)


@pytest.mark.usefixtures("tasks")
def test_a_task_that_is_passed_without_computing_or_cannot_be_judged_is_told(
    inside: Run, warmed: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "sandbox_named", lambda _: warmed)
    trivial = ["a constant", "the answer to other inputs"]
    for name, verdict, said in (
        ("sound", "ok", ""),
        ("clamped", "degenerate", f"passed by default: {trivial[0]}; default: {trivial[1]}"),
        ("failing", "error", "ZeroDivisionError"),
        ("broken", "error", "defines no class Model"),
    ):
        done = inside(f"judge {name}.py --audit --json", code=int(verdict != "ok"), says=said)
        [row] = json.loads(done.stdout)["tasks"]
        assert (row["task"], row["verdict"]) == (f"{name}.py", verdict)
        assert row["passing"] == [f"default: {one}" for one in trivial if name == "clamped"]
        assert bool(row["error"]) == (verdict == "error")


@pytest.mark.usefixtures("tasks")
def test_what_cannot_be_audited_at_all(inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, said in {
        "nowhere": "there is no task nowhere",
        "sound.py other.py": "without programs and --inputs",
    }.items():
        inside(f"judge --audit {arguments}", code=2, says=said)
    monkeypatch.setattr(machine, "find_spec", lambda name: None)
    inside("judge --audit sound.py", code=2, says="pip install 'maxcode[kernels]'")
