"""Hostile programs are caught, and leave nothing; their honest twins pass."""

import pytest
from tests.executors.cpp import _hostile as suite

from maxcode.errors import ToolError
from maxcode.evaluation import Status
from maxcode.sandbox.bubblewrap import BubblewrapSandbox

CASES = suite.load()


@pytest.fixture(scope="module")
def outcome() -> suite.Outcome:
    """Judged all at once, which keeps every processor busy."""
    try:
        BubblewrapSandbox()
    except ToolError as error:
        pytest.skip(str(error))
    return suite.judge(CASES)


def test_the_suite_is_large_enough() -> None:
    assert len(CASES) >= 44


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_is_caught(case: suite.Case, outcome: suite.Outcome) -> None:
    verdict = outcome.verdicts[case.hostile]
    # Whoever runs out of time gains nothing, and on a busy machine anybody may.
    assert verdict.status in {*case.allowed, Status.TIMEOUT}, verdict.details
    assert not case.escaped(verdict), str(verdict.speedup)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_its_honest_twin_passes(case: suite.Case, outcome: suite.Outcome) -> None:
    verdict = outcome.verdicts[case.honest]
    assert verdict.status is Status.OK, verdict.details


def test_nothing_is_left_of_them(outcome: suite.Outcome) -> None:
    assert outcome.survivors == []
    assert outcome.traces == []
