"""`resume --minimise`: the best program of a finished run, cut to what its gain needs."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from maxcode.program import Program
from maxcode.tasks.program import ProgramTask, TestCase, save_task

pytestmark = pytest.mark.slow


SLOW = """\
#include <cstdio>

// Doubles a number.
int main() {
    volatile long steps = 0;
    while (steps < 300000) steps = steps + 1;  // slowly
    long n = 0;
    if (std::scanf("%ld", &n) != 1) return 1;
    std::printf("%ld\\n", n * 2);
}
"""

FAST = """\
#include <cstdio>

int unused(int x) { return x + 1; }

// Doubles a number.
int main() {
    volatile long steps = 0;
    while (steps < 30) steps = steps + 1;  // slowly
    long n = 0;
    if (std::scanf("%ld", &n)!=1) return 1;
    const long factor = 2;
    std::printf("%ld\\n", n * 2);
}
"""

GENERATOR = f"""\
from maxcode import Generator, Proposal


class Proposer(Generator):
    trusted = True

    def propose(self, observation, n):
        return [Proposal(observation.task.baseline.with_code({FAST!r}), "at once")]
"""


@pytest.fixture
def reducible(folder: Path) -> Path:
    task = ProgramTask(
        "doubling", "Double a number.", Program.of(SLOW), tests=(TestCase("t", b"21\n", b"42\n"),)
    )
    save_task(task, folder / "task")
    (folder / "verbose.py").write_text(GENERATOR)
    return folder / "task"


def test_the_best_program_of_a_run_is_reduced(inside: Run, reducible: Path, folder: Path) -> None:
    search = ("--sandbox", "process", "--generator", "verbose:Proposer", "--policy", "maxcode:k=1")
    few = ("--budget", "evaluations=1", "--meter", "instructions", "--minimise", "0", "--json")
    found = inside("optimize", str(reducible), *search, *few, code=0)
    assert json.loads(found.stdout)["reduced"] is None
    assert (folder / "doubling.fast.cpp").read_text() == FAST

    done = inside("resume last --minimise --json", code=0)
    assert (folder / "doubling.fast.cpp").read_text() == SLOW.replace("300000", "30")
    document = json.loads(done.stdout)
    assert document["reduced"] == {
        "step": 1, "lines_before": 7, "lines_after": 2, "replaced": True
    }  # fmt: skip
    assert [hunk["lines"] for hunk in document["hunks"]] == [2]
    assert document["hunks"][0]["worth"] == document["best"]["speedup"] > 2
    shown = inside("show")
    assert "from 7 changed lines to 2; " in shown.stdout
    assert "what its hunks are worth" in shown.stdout
    assert FAST in json.loads(inside("show --step 1 --json").stdout)["program"]["files"].values()


def test_what_cannot_be_reduced(inside: Run, tmp_path: Path) -> None:
    inside("resume last --minimise --store", str(tmp_path / "none.db"), code=2)
    search = ("optimize", "landscape:seed=3,size=6", "--generator", "landscape")
    inside(*search, "--budget", "evaluations=1", "--policy", "best-of-n:n=1", "--seed", "5")
    for share in ("0", "2"):
        refused = inside("resume last --minimise", share, code=2)
        assert refused.stderr
    changed = inside("resume last --generator rewrite --critic none --minimise", code=2)
    assert "leave out --generator, --critic" in changed.stderr
