"""Cheating kernels are caught, one for every way to catch them, and some of their twins pass.

A usual run judges one cheat of each of five classes; the whole suite is judged with ``-m slow``,
and by benchmarks/cheats_kernels.py.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
from tests._covering import asked_for, covering
from tests.executors.kernel import _cheats as suite

from maxcode.evaluation import Status
from maxcode.executors.kernel.workers import WorkerPool
from maxcode.sandbox.base import Sandbox

CLASSES = {
    "right for some inputs": [
        *("cached outputs", "hard-coded answers", "known inputs", "answers to other inputs"),
    ],
    "nearly right": ["lower precision", "nothing within a tolerance", "work that changes nothing"],
    "outputs that are none": ["lazy result", "tricks of the language"],
    "work at another time": ["work ahead of time", "late work", "work of many calls in one"],
    "forged answers": ["forged results"],
    "within the process": ["patched timer", "patched comparison"],
    "values of the reference": ["expected values in memory", "names of the reference"],
    "state": ["what is left behind", "changed inputs", "training mode"],
    "otherwise when it is timed": ["other behaviour in warm-up"],
    "memory of others": [
        "stale memory",
        "races and uninitialised memory",
        "shared results",
        "gradients that are kept",
        "results made ready",
    ],
    "resources": ["resources"],
    "others slowed down": ["slowed baseline"],
}
ALL = suite.load(cuda=True)
LIMITS = {case.name for case in ALL if case.limit}
CASES = [case for case in suite.load() if not case.limit]
FIRST = {case.kind: case.name for case in reversed(suite.load())}
ONE = FIRST | {"resources": "hog_memory"}  # as its verdict is certain
DEFAULT = ("forged answers", "within the process", "state", "memory of others", "resources")
USUAL = [ONE[CLASSES[name][0]] for name in DEFAULT]
EACH = 4  # of the twins


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest, sandbox: Sandbox) -> Mapping[str, suite.Outcome]:
    """Judged by one executor, whose workers are started when needed: none stands ready in vain."""
    cases = cast("list[suite.Case]", asked_for(request, "case"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(WorkerPool.__init__.__kwdefaults__ or {}, "standing", 0)
        return suite.judge(cases, sandbox, twins=EACH)


def test_the_suite_is_large_enough_and_every_kind_is_of_a_class() -> None:
    assert len(ALL) >= 36
    assert sorted(kind for kinds in CLASSES.values() for kind in kinds) == sorted(FIRST)


def test_known_limits_are_few_and_named_in_the_manual() -> None:
    manual = Path("docs/manual/tasks.md").read_text()
    assert len(LIMITS) <= 25
    assert all(f"`{name}`" in manual for name in LIMITS)


def test_twins_are_other_programs() -> None:
    programs = [program.digest for case in ALL for program in (case.cheat, case.honest)]
    assert len(set(programs)) == len(programs)
    assert all("ModelNew" in program.code for case in ALL for program in (case.cheat, case.honest))


@pytest.mark.parametrize("case", covering(CASES, USUAL, lambda case: case.name))
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
