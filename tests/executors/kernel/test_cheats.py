"""Cheating kernels are caught, one of each kind, and some of their honest twins pass.

The whole suite is judged with ``-m slow``, and by benchmarks/cheats_kernels.py. There every cheat
has a sandbox that isolates; here only those have one who need more than their own process to cheat.
"""

from collections.abc import Mapping
from typing import cast

import pytest
from tests._covering import asked_for, covering
from tests.executors.kernel import _cheats as suite

from maxcode.evaluation import Status
from maxcode.sandbox.base import Sandbox

ALL = suite.load(cuda=True)
CASES = suite.load()
FIRST = suite.first_of_each_kind(CASES)
EACH = 4  # of the twins
ALONE = frozenset(
    {
        "cached outputs",
        "changed inputs",
        "expected values in memory",
        "hard-coded answers",
        "known inputs",
        "lazy result",
        "lower precision",
        "nothing within a tolerance",
        "answers to other inputs",
        "other behaviour in warm-up",
        "patched comparison",
        "training mode",
        "tricks of the language",
        "what is left behind",
        "work that changes nothing",
    }
)
"""Kinds of cheats that go on within the candidate's own process, and do nothing to others."""


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, sandbox: Sandbox, warmed: Sandbox
) -> Mapping[str, suite.Outcome]:
    """Judged by one executor for each of the sandboxes."""
    cases = cast("list[suite.Case]", asked_for(request, "case"))
    within = [case for case in cases if case.kind in ALONE and case in FIRST]
    others = [case for case in cases if case not in within]
    return {
        **suite.judge(within, warmed, twins=EACH),
        **suite.judge(others, sandbox, twins=EACH),
    }


def test_the_suite_is_large_enough() -> None:
    assert len(ALL) >= 36
    assert len(FIRST) >= 18
    assert {case.kind for case in FIRST} > ALONE


def test_twins_are_other_programs() -> None:
    programs = [program.digest for case in ALL for program in (case.cheat, case.honest)]
    assert len(set(programs)) == len(programs)


@pytest.mark.parametrize(
    "case", covering(CASES, {case.name for case in FIRST}, lambda case: case.name)
)
def test_it_is_caught(case: suite.Case, outcomes: Mapping[str, suite.Outcome]) -> None:
    outcome = outcomes[case.name]
    # Whoever runs out of time gains nothing, and on a busy machine anybody may.
    assert outcome.cheat.status in {*case.allowed, Status.TIMEOUT}, outcome.cheat.feedback
    assert not outcome.escaped, f"{outcome.cheat.speedup}, its gain {outcome.gain}"


def test_honest_twins_pass(outcomes: Mapping[str, suite.Outcome]) -> None:
    judged = [one for one in outcomes.values() if one.honest is not None]
    assert len(judged) >= len(outcomes) // EACH
    for outcome in judged:
        assert not outcome.false_alarm, f"{outcome.case.name}: {outcome.honest}"
