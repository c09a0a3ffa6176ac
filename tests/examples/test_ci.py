"""The steps of examples/ci in a fresh clone, and that its templates take them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.executors.project._projects import FAST, FILES, written
from tests.executors.project.test_change import commit, git

CI = Path(__file__).parents[2] / "examples" / "ci"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with a branch that is faster, as a runner has it: without the target's branch."""
    origin = tmp_path / "origin"
    written(origin, {**FILES, ".github/verify.sh": (CI / "verify.sh").read_text()})
    git(origin, "init", "--quiet")
    commit(origin, {})
    git(origin, "checkout", "--quiet", "-b", "quick")
    commit(origin, {"src/sum.c": FAST})
    git(tmp_path, "clone", "--quiet", "--branch", "quick", str(origin), "clone")
    git(tmp_path / "clone", "update-ref", "-d", "refs/remotes/origin/main")
    return tmp_path / "clone"


def steps(folder: Path, *options: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """The script where maxcode is not installed, and pip does nothing but put it there."""
    tools = folder.parent / "bin"
    tools.mkdir(exist_ok=True)
    maxcode = f'#!/bin/sh\nexec {sys.executable} -m maxcode "$@"\n'
    pip = f'#!/bin/sh\necho "$*" >> {tools}/asked\n{sys.executable} {tools}/install.py\n'
    (tools / "install.py").write_text(
        f"import pathlib\nfile = pathlib.Path({str(tools / 'maxcode')!r})\n"
        f"file.write_text({maxcode!r})\nfile.chmod(0o755)\n"
    )
    (tools / "python3").write_text(pip)
    (tools / "python3").chmod(0o755)
    words = ["sh", ".github/verify.sh", "origin/main", "--seconds", "5", *options]
    env = {**os.environ, **variables, "PATH": f"{tools}:/usr/bin:/bin"}
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_steps_install_fetch_measure_and_comment(clone: Path) -> None:
    done = steps(clone, MAXCODE="maxcode==0.1")
    assert done.returncode == 0, done.stderr
    assert re.search(r"\(faster[;)]", done.stdout)
    assert (clone.parent / "bin" / "asked").read_text() == "-m pip install --quiet maxcode==0.1\n"
    assert (clone / "verdict.md").read_text().startswith("### sum: faster\n")
    assert 'failures="0"' in (clone / "verdict.xml").read_text()
    git(clone, "checkout", "--quiet", "--", ".")

    wrong = steps(clone, "--expect", "fast", MAXCODE_UNDECIDED="0")
    assert (wrong.returncode, "--expect takes" in wrong.stderr) == (2, True)


def test_templates_take_the_steps() -> None:
    yaml = pytest.importorskip("yaml")
    for name, place in (("github.yml", ".github/verify.sh"), ("gitlab.yml", "ci/verify.sh")):
        text = (CI / name).read_text()
        assert yaml.safe_load(text)
        assert f'sh {place} "origin/$' in text
        assert "verdict.md" in text
