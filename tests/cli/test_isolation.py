"""Where programs run: isolated; or, where that cannot be, only if somebody answers for it."""

import json
import shutil
from pathlib import Path

import pytest
from tests.cli.conftest import Run

pytestmark = pytest.mark.slow


BUDGET = ("--budget", "evaluations=1", "--fuzz", "0")


@pytest.fixture
def path(folder: Path) -> str:
    """A search path with a compiler and without bubblewrap."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("g++", "as", "ld"):
        (tools / name).symlink_to(shutil.which(name) or name)
    return str(tools)


def test_foreign_programs_are_refused_without_isolation(
    inside: Run, task: Path, folder: Path, path: str
) -> None:
    foreign = ("--generator", "proposer:Foreign")
    done = inside("optimize", str(task), *foreign, *BUDGET, PATH=path, code=2)
    assert done.stdout == ""
    assert "error: bubblewrap is not installed" in done.stderr
    assert "apt install bubblewrap" in done.stderr
    assert "--sandbox process" in done.stderr
    assert json.loads(inside("runs --json").stdout)["runs"] == []

    taken = inside("optimize", str(task), *foreign, *BUDGET, "--sandbox", "process", PATH=path)
    assert taken.returncode == 0, taken.stderr
    assert "; but not isolated\n" in taken.stdout
    inside("resume last --budget evaluations=2", PATH=path, code=0)


def test_rewrites_of_ones_own_code_run_within_limits(inside: Run, task: Path, path: str) -> None:
    done = inside("optimize", str(task), "--generator", "proposer:Proposer", *BUDGET, PATH=path)
    assert done.returncode == 0, done.stderr
    assert "note: bubblewrap is not installed" in done.stderr
    assert "Proposer only rewrites your own code" in done.stderr


def test_a_verdict_without_isolation_says_so(inside: Run, task: Path, folder: Path) -> None:
    program = task / "main.cpp"
    for sandbox, isolated in (("process", False), ("bubblewrap", True)):
        done = inside("judge", str(task), str(program), "--sandbox", sandbox, "--json", code=0)
        assert ("not isolated" in done.stderr) is not isolated
        assert json.loads(done.stdout)["isolated"] is isolated
