"""Cheating kernels are caught, one of each kind, and some of their honest twins pass.

The whole suite is judged by benchmarks/cheats_kernels.py.
"""

from collections.abc import Mapping

import pytest
from tests.executors.kernel import _cheats as suite

from maxcode.evaluation import Status
from maxcode.sandbox.base import Sandbox

ALL = suite.load(cuda=True)
CASES = suite.first_of_each_kind(suite.load())
EACH = 4  # of the twins


@pytest.fixture(scope="module")
def outcomes(sandbox: Sandbox) -> Mapping[str, suite.Outcome]:
    """Judged by one executor."""
    return suite.judge(CASES, sandbox, twins=EACH)


def test_the_suite_is_large_enough() -> None:
    assert len(ALL) >= 36
    assert len(CASES) >= 18


def test_twins_are_other_programs() -> None:
    programs = [program.digest for case in ALL for program in (case.cheat, case.honest)]
    assert len(set(programs)) == len(programs)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_is_caught(case: suite.Case, outcomes: Mapping[str, suite.Outcome]) -> None:
    outcome = outcomes[case.name]
    # Whoever runs out of time gains nothing, and on a busy machine anybody may.
    assert outcome.cheat.status in {*case.allowed, Status.TIMEOUT}, outcome.cheat.feedback
    assert not outcome.escaped, f"{outcome.cheat.speedup}, its gain {outcome.gain}"


@pytest.mark.parametrize("case", CASES[::EACH], ids=lambda case: case.name)
def test_its_honest_twin_passes(case: suite.Case, outcomes: Mapping[str, suite.Outcome]) -> None:
    honest = outcomes[case.name].honest
    assert honest is not None
    assert honest.status is Status.OK, honest.feedback
