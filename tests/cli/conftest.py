"""The real command, measuring briefly, a small task, and a generator with known answers."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli import _hints
from typer.testing import CliRunner

from maxcode.cli.main import app
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.measure.rounds import SCORE, Plan
from maxcode.program import Program
from maxcode.tasks.program import ProgramTask, TestCase, save_task

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]

_BRIEF = Path(__file__).parents[1] / "pages" / "_brief.py"  # the command, with few rounds

SLOW = """\
#include <cstdio>

int main() {
    volatile long steps = 0;
    while (steps < 10000000) steps = steps + 1;
    long n = 0;
    if (std::scanf("%ld", &n) != 1) return 1;
    std::printf("%ld\\n", n * 2);
}
"""

REFERENCE = '''\
import torch
from torch import nn


class Model(nn.Module):
    """Rectify small values."""

    def forward(self, x):
        return torch.relu(x) * 1e-6


def get_inputs():
    return [torch.randn(32, 64)]


def get_init_inputs():
    return []
'''

GENERATOR = '''\
"""Of three candidates one is right, one answers wrongly, one does not compile."""

import sqlite3
from pathlib import Path

from maxcode import Generator, Proposal


class Proposer(Generator):
    trusted = True

    def __init__(self, steps: int = 50000):
        self.steps = steps

    def propose(self, observation, n):
        baseline = observation.task.baseline
        code = baseline.code
        number = observation.number
        texts = {
            "fewer steps": code.replace("10000000", str(self.steps - number)),
            "wrong factor": code.replace("n * 2", f"n * {number + 3}"),
            "broken": code + f"int {number}x;",
        }
        return [Proposal(baseline.with_code(text), name) for name, text in texts.items()][:n]


class Foreign(Proposer):
    trusted = False


class Moving(Proposer):
    """Puts a folder where the program shall be saved."""

    def propose(self, observation, n):
        Path("best.cpp").mkdir()
        return super().propose(observation, n)


class Rivalling(Proposer):
    """Lets another process write the run: nothing can be appended to it any more."""

    def propose(self, observation, n):
        if observation.number:
            with sqlite3.connect("rival.db") as store:
                store.execute(
                    "INSERT INTO maxcode_events (run, seq, at, body) "
                    "SELECT run, max(seq) + 1, at, body FROM maxcode_events GROUP BY run"
                )
            store.close()
        return super().propose(observation, n)


class Failing(Generator):
    def propose(self, observation, n):
        if observation.number:
            raise RuntimeError("out of ideas")
        return Proposer().propose(observation, n)
'''


def split(arguments: Sequence[str]) -> list[str]:
    """The arguments of a command; the first may be several words."""
    first, *others = arguments
    return [*shlex.split(first), *others]


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """Write texts below a folder; gives the folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where commands run."""
    (tmp_path / "proposer.py").write_text(GENERATOR)
    return tmp_path


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home of its own, so that nothing of the user's is touched."""
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    return {**kept, "XDG_DATA_HOME": str(tmp_path / "data"), "TERM": "xterm-256color"}


@pytest.fixture
def start(folder: Path, environment: dict[str, str]) -> Start:
    """Starts `maxcode` in a process of its own with arguments, and does not wait for it."""

    def begin(*arguments: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(_BRIEF), *split(arguments)],
            cwd=folder,
            env={**environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return begin


@pytest.fixture
def maxcode(start: Start) -> Run:
    """Runs `maxcode` with arguments to its end."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        with start(*arguments, **variables) as process:
            out, err = process.communicate(timeout=300)
        _hints.check(f"{out}\n{err}")
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    return run


@pytest.fixture
def inside(folder: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `maxcode` within this process, which costs less, and measures in few rounds.

    ``code`` is the exit code that it must have, or several, ``says`` a part of its messages.
    """
    for executor in (ProgramExecutor, KernelExecutor, ProjectExecutor):
        defaults = executor.__init__.__kwdefaults__ or {}
        monkeypatch.setitem(defaults, "score", replace(SCORE, least=2, most=2))
        monkeypatch.setitem(defaults, "confirm", Plan(least=4, most=4))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_DATA_HOME", environment["XDG_DATA_HOME"])

    def run(
        *arguments: str, code: int | tuple[int, ...] = (), says: str = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        wide = {"COLUMNS": "160", **variables}  # temporary folders have names of any length
        done = CliRunner().invoke(app, split(arguments), env=wide)
        _hints.check(f"{done.stdout}\n{done.stderr}")
        codes = code if isinstance(code, tuple) else (code,)
        assert done.exit_code in (codes or (done.exit_code,)), done.stderr
        assert says in done.stderr
        return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)

    return run


@pytest.fixture
def task(folder: Path) -> Path:
    """A task folder whose program wastes its time."""
    path = folder / "doubling"
    tests = (TestCase("001", b"21\n", b"42\n"),)
    save_task(ProgramTask("doubling", "Double it.", Program.of(SLOW), tests=tests), path)
    return path


@pytest.fixture
def slow(folder: Path) -> Path:
    """The same program as a file, with inputs beside it."""
    (folder / "inputs").mkdir()
    (folder / "inputs" / "a.txt").write_text("21\n")
    (folder / "inputs" / "b.txt").write_text("-4\n")
    path = folder / "slow.cpp"
    path.write_text(SLOW)
    return path
