"""`maxcode judge`: C++ programs, kernels by both rules, and what is wrong with either."""

import json
import shutil
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.cli.conftest import REFERENCE, Run, Start

from maxcode.cli import judge, tasks
from maxcode.errors import ToolError
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.tasks.folder import load_kernel_folder

pytestmark = pytest.mark.slow


ZEROS = """\
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
"""
HONEST = ZEROS.replace("torch.zeros_like(x)", "x.clamp_min(0).mul_(1e-6)")


@pytest.fixture
def needs_torch() -> None:
    if find_spec("torch") is None:
        pytest.skip("needs torch")
    try:
        BubblewrapSandbox()
    except ToolError as error:
        pytest.skip(str(error))


@pytest.fixture
def reference(folder: Path) -> Path:
    """A problem of KernelBench, with two kernels beside it."""
    (folder / "honest.py").write_text(HONEST)
    (folder / "zeros.py").write_text(ZEROS)
    path = folder / "19_ReLU.py"
    path.write_text(REFERENCE)
    return path


@pytest.mark.usefixtures("needs_torch")
def test_kernels_by_both_rules(inside: Run, reference: Path) -> None:
    done = inside("judge", str(reference), "honest.py", "zeros.py", "--mode", "both", "--json")
    assert done.returncode == 0, done.stderr
    table, _, differing = done.stderr.partition("where the verdicts differ")
    rows = [line for line in table.splitlines() if " of 2 (" not in line]
    assert sum(".py (" in line for line in rows) == 4
    assert "wrong answer" in table
    assert "zeros.py" in differing
    assert "honest.py" not in differing
    said = " ".join(differing.split())
    assert "passes there, fails here" in said

    honest, zeros = json.loads(done.stdout)["programs"]
    assert honest["task"] == "19_ReLU"
    assert honest["evaluations"]["strict"]["speedup"]["value"] > 0
    assert len(honest["evaluations"]["kernelbench"]["measurements"][0]["samples"]) == 100
    assert zeros["evaluations"]["strict"]["status"] == "wrong_answer"
    assert zeros["difference"]


def test_cpp_programs(inside: Run, folder: Path, task: Path) -> None:
    programs = folder / "programs"
    programs.mkdir()
    slow = (task / "main.cpp").read_text()
    (programs / "fast.cpp").write_text(slow.replace("10000000", "10"))
    (programs / "wrong.cpp").write_text(slow.replace("n * 2", "n * 3"))
    done = inside("judge", str(task), "programs", "--sandbox", "process", code=0)
    _, fast, wrong, _, name, difference = done.stdout.splitlines()
    assert name == "wrong.cpp"
    assert difference.startswith("test 001: line 1: expected '42', got '63'")
    assert fast.split()[:2] == ["fast.cpp", "ok"]
    assert wrong.split()[:4] == ["wrong.cpp", "wrong", "answer", "-"]
    assert "1 of 2: fast.cpp: ok, " in done.stderr
    assert "2 of 2: wrong.cpp: wrong answer\n" in done.stderr


def test_a_program_or_its_folder_is_recorded_on_its_inputs(
    inside: Run, folder: Path, slow: Path
) -> None:
    (folder / "fast.cpp").write_text(slow.read_text().replace("10000000", "10"))
    (folder / "program").mkdir()
    shutil.copy(slow, folder / "program" / "main.cpp")
    for task, inputs in (("slow.cpp", "inputs/*.txt"), ("program", "inputs")):
        given = ("judge", task, "fast.cpp", "--inputs", inputs, "--sandbox", "process")
        done = inside(*given, "--check", "numbers", "--tolerance", "3", code=0)
        assert f"running {task} on 2 inputs to record its outputs" in done.stderr
        assert done.stdout.splitlines()[1].split()[:2] == ["fast.cpp", "ok"]
    inside("judge slow.cpp fast.cpp", code=2, says="slow.cpp is a program; say which inputs")


def test_an_interrupt_leaves_the_verdicts_so_far(start: Start, folder: Path, task: Path) -> None:
    (folder / "wrong.cpp").write_text("int main() {}")
    (folder / "more.cpp").write_text((task / "main.cpp").read_text())
    command = ("judge", str(task), "wrong.cpp", "more.cpp", "--sandbox", "process")
    with start(*command, "--json") as process:
        assert process.stderr
        assert any("1 of 2: wrong.cpp: wrong answer" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    assert "interrupted: judged 1 of 2" in err
    wrong, more = json.loads(out)["programs"]
    assert wrong["evaluations"]["default"]["status"] == "wrong_answer"
    assert more["evaluations"] == {}


def test_what_is_wrong_with_the_request(
    inside: Run, folder: Path, reference: Path, task: Path
) -> None:
    (folder / "empty").mkdir()
    for arguments, said in (
        (("nowhere.py",), "there is no file nowhere.py"),
        (("empty",), "empty holds no candidates"),
        (("honest.py", "--mode", "loose"), "'loose' is not one of"),
        (("honest.py", "--sandbox", "none"), "'none' is not one of"),
    ):
        inside("judge", str(reference), *arguments, code=2, says=said)
    inside("judge doubling proposer.py --mode strict", code=2, says="--mode goes with kernels")


LARGE = REFERENCE.replace("torch.randn(32, 64)", "torch.randn(SIDE, SIDE)").replace(
    "\n\nclass", "\n\nSIDE = 4096\n\n\nclass", 1
)
LARGE = LARGE.replace("return torch", "assert len(x) <= 1024\n        return torch")
UNBUILT = """\
from torch.utils.cpp_extension import load_inline

load_inline("f", "#include <torch/extension.h>\\nint f() { return one + two; }", functions="f")
"""


def test_a_reference_becomes_a_task_and_is_judged_with_smaller_sizes(
    inside: Run, folder: Path, warmed: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (judge, tasks):
        monkeypatch.setattr(module, "sandbox_named", lambda _: warmed)
    (folder / "rectify.py").write_text(LARGE)
    (folder / "honest.py").write_text(HONEST)
    (folder / "unbuilt.py").write_text(UNBUILT)
    inside("init rectify.py --out small --small", code=0)
    done = inside("judge small honest.py unbuilt.py", code=0, says="honest.py: ok, ")
    table, _, rest = done.stdout.partition("reference of rectify: ")
    assert "unbuilt.py" in table
    said, _, errors = rest.partition("\n")
    assert "s a call, 1 kind of inputs" in said
    assert "tolerance: a row may be off by " in said
    assert "'one' was not declared" in errors
    assert "'two' was not declared" in errors

    done = inside("init rectify.py --out made", code=0)
    assert "rectify: a kernel" in done.stdout
    made = load_kernel_folder(folder / "made")
    assert (made.name, made.reference) == ("rectify", LARGE)
    assert made.statement == "Rectify small values."
    assert "has no task.toml" not in inside("optimize made").stderr


@pytest.mark.parametrize("options", [(), ("--generator", "rewrite")])
def test_kernels_without_a_model_end_at_once(
    inside: Run, folder: Path, options: tuple[str, ...]
) -> None:
    (folder / "rectify.py").write_text(LARGE)
    done = inside(
        "optimize rectify.py", *options, code=2, says="nothing proposes changes to kernels"
    )
    assert "baseline" not in done.stdout
