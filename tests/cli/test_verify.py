"""`verify` from end to end, on a project in a repository of git."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.executors.project._projects import FAST, FILES, SUM, written
from tests.executors.project.test_change import commit, git

pytestmark = pytest.mark.slow


@pytest.fixture
def sum_folder(folder: Path) -> Path:
    """A project whose branch `quick` is faster, and touches what real commits do."""
    path = folder / "sum"
    written(path, {**FILES, "CHANGELOG.md": "# Changes\n"})
    git(path, "init", "--quiet")
    commit(path, {})
    git(path, "checkout", "--quiet", "-b", "quick")
    tests = FILES["tests/run.sh"] + "# more\n"
    commit(path, {"src/sum.c": FAST, "CHANGELOG.md": "# Faster\n", "tests/run.sh": tests})
    git(path, "checkout", "--quiet", "main")
    return path


def test_a_branch_is_faster_and_its_way_back_slower(
    inside: Run, sum_folder: Path, folder: Path
) -> None:
    files = ("--markdown", "c.md", "--junit", "j.xml")
    done = inside("verify main..quick --task sum --json", *files, code=0)
    document = json.loads(done.stdout)
    assert (document["verdict"], document["exit_code"]) == ("faster", 0)
    assert document["speedup"]["level"] == 0.95
    assert document["ignored"][0] == "CHANGELOG.md"
    assert document["repeat"] == "maxcode verify main..quick --task sum --expect faster"
    assert "### sum: faster" in (folder / "c.md").read_text()
    assert "2 tests" in (folder / "c.md").read_text()
    assert 'failures="0"' in (folder / "j.xml").read_text()
    assert git(sum_folder, "status", "--short") == ""

    back = inside("verify quick..main --task sum")
    said = re.search(r"\(slower(; \S+x without start-up)?\)", back.stdout)
    assert (back.returncode, bool(said)) == (3, True), back.stdout
    more = inside("verify quick --task sum --expect", ">=1000", "--their-tests", code=1)
    assert "expected >=1000: does not hold" in more.stdout
    assert "test file" not in more.stdout


def test_what_does_not_build_or_pass_is_broken(inside: Run, sum_folder: Path) -> None:
    for text, status in {
        "int x\n": "build error",
        SUM.replace("+ i;", "+ 1;"): "wrong answer",
    }.items():
        (sum_folder / "src" / "sum.c").write_text(text)
        done = inside("verify sum")
        assert (done.returncode, status in done.stdout) == (4, True), done.stdout


def test_a_patch_from_standard_input(sum_folder: Path) -> None:
    patch = git(sum_folder, "diff", "--no-prefix", "main", "quick")
    command = [sys.executable, "-m", "maxcode", "verify", "-", "--seconds", "5"]
    done = subprocess.run(
        command, cwd=sum_folder, input=patch, check=False, capture_output=True, text=True
    )
    said = re.search(r"\(faster(; \S+x without start-up)?\)", done.stdout)
    assert (done.returncode, bool(said)) == (0, True), done.stderr


def test_wrong_use_says_what_to_do(inside: Run, sum_folder: Path, folder: Path) -> None:
    for arguments, problem in {
        ("nowhere..quick", "--task", "sum"): "git knows no commit nowhere",
        ("sum",): "it changes nothing of the files that editable",
        ("quick", "--task", "sum", "--expect", "fast"): "--expect takes faster",
        ("none.patch", "--task", "sum"): "there is no file none.patch",
        ("proposer.py",): "is no project",
    }.items():
        inside("verify", *arguments, code=2, says=problem)
    (folder / "sum" / "Makefile").write_text("sum:\n\tfalse\n")
    commit(sum_folder, {})
    inside("verify main..quick --task sum", code=2, says="the project as it is fails")
