"""The executor contract fails for plug-ins that break it, one for each promise."""

from collections.abc import Callable, Sequence
from threading import get_ident

import pytest

from maxcode.evaluation import (
    Baseline,
    Comparison,
    Counterexample,
    Evaluation,
    FuzzResult,
    HeldOut,
    Measurement,
    Profile,
    Status,
)
from maxcode.interfaces import Executor
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import Broken, ExecutorContract, ScriptedExecutor, sample_task

MAIN_THREAD = get_ident()
FAST = Program.of("fast")
WRONG = Program.of("wrong")
ELSEWHERE = Program.of("wrong elsewhere")
HONEST = ScriptedExecutor({"fast": 2.0, "wrong": Status.WRONG_ANSWER, "wrong elsewhere": 2.0})


class Dishonest(ScriptedExecutor):
    """Answers like the honest one, but for one method."""

    def __init__(self, method: str, answer: Callable[..., object]) -> None:
        super().__init__(HONEST.script)
        setattr(self, method, answer)


def executing(executor: Executor) -> ExecutorContract:
    class Contract(ExecutorContract):
        def make(self) -> Executor:
            return executor

        def task(self) -> Task:
            return sample_task()

        def faster(self) -> Program:
            return FAST

        def broken(self) -> Sequence[Broken]:
            return [(WRONG, frozenset({Status.WRONG_ANSWER}))]

        def differing(self) -> Program:
            return ELSEWHERE

    return Contract()


def blind_to_threads(task: Task, program: Program) -> Evaluation:
    if get_ident() == MAIN_THREAD:
        return HONEST.evaluate(task, program)
    return Evaluation(Status.INFRASTRUCTURE)


class Spoilt(ScriptedExecutor):
    """Never recovers from a program that failed."""

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        spoilt = ("evaluate", (WRONG,)) in self.calls
        found = super().evaluate(task, program)
        return Evaluation(Status.TIMEOUT) if spoilt else found


NOTHING = Baseline((Measurement("clock", "s", (0.0,)),))
DIFFERENT = FuzzResult(problem="differs", counterexample=Counterexample("1"))
STATUS_ONLY = Evaluation(Status.WRONG_ANSWER)


BROKEN: dict[str, list[Executor]] = {
    "test_prepare_measures_the_baseline": [Dishonest("prepare", lambda t: NOTHING)],
    "test_prepare_refuses_a_baseline_that_fails": [
        Dishonest("prepare", lambda t: HONEST.prepare(sample_task())),
    ],
    "test_the_baseline_and_a_faster_program_pass": [
        Dishonest("evaluate", lambda t, p: Evaluation(Status.INFRASTRUCTURE)),
    ],
    "test_broken_programs_get_a_status_and_no_reward": [
        Dishonest("evaluate", lambda t, p: HONEST.evaluate(t, FAST)),
        Dishonest("evaluate", lambda t, p: Evaluation(Status.TIMEOUT, feedback="late")),
        Dishonest("evaluate", lambda t, p: STATUS_ONLY),
    ],
    "test_a_verdict_does_not_depend_on_those_before": [Spoilt(HONEST.script)],
    "test_judges_in_several_threads_at_once": [Dishonest("evaluate", blind_to_threads)],
    "test_a_comparison_favours_the_first_above_one": [
        Dishonest("compare", lambda t, a, b: HONEST.compare(t, b, a)),
    ],
    "test_a_comparison_with_a_broken_program_has_no_ratio": [
        Dishonest("compare", lambda t, a, b: HONEST.compare(t, FAST, FAST)),
        Dishonest("compare", lambda t, a, b: Comparison(None)),
    ],
    "test_a_profile_has_text_or_is_none": [Dishonest("profile", lambda t, p: Profile(""))],
    "test_what_is_right_agrees_with_the_baseline_on_further_inputs": [
        Dishonest("fuzz", lambda t, p, plan: DIFFERENT),
    ],
    "test_a_difference_is_found_and_found_again": [
        Dishonest("fuzz", lambda t, p, plan: FuzzResult(plan.count)),
        Dishonest("fuzz", lambda t, p, plan: DIFFERENT if plan.count else FuzzResult()),
    ],
    "test_held_out_inputs_have_a_ratio_or_a_problem": [
        Dishonest("held_out", lambda t, p, seed: HeldOut(None))
    ],
}
"""Plug-ins that break a promise, by its test."""


@pytest.mark.parametrize(
    ("test", "executor"), [(test, one) for test, several in BROKEN.items() for one in several]
)
def test_a_broken_executor(test: str, executor: Executor) -> None:
    with pytest.raises(AssertionError):
        getattr(executing(executor), test)()
