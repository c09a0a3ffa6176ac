"""Candidates of the examples get the verdicts that they say they must get."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxcode.evaluation import Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.tasks import load_task

FOLDER = Path(__file__).parents[3] / "examples" / "kernels" / "softmax"
QUICK = [  # to load: none that builds an extension
    path
    for path in sorted((FOLDER / "candidates").glob("*.py"))
    if "load_inline" not in path.read_text("utf-8")
]
BRIEF = Plan(least=3, most=3)


@pytest.fixture(scope="module")
def executor(warmed: Sandbox) -> Iterator[KernelExecutor]:
    with KernelExecutor(warmed, score=BRIEF) as executor:
        yield executor


@pytest.mark.slow
@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.stem)
def test_a_candidate_gets_the_verdict_it_says(executor: KernelExecutor, path: Path) -> None:
    found = re.match(r'"""expected: ([A-Z_ |]+)[.;]', path.read_text("utf-8"))
    assert found
    wanted = {Status[one] for one in found[1].split(" | ")}
    evaluation = executor.evaluate(load_task(FOLDER), Program.of(path.read_text(), "kernel.py"))
    assert evaluation.status in wanted, evaluation.feedback
