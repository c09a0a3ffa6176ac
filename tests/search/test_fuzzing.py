"""What looks like a new best is compared with the original on further inputs first."""

from collections.abc import Callable

import pytest
from tests._runs import MakeSearch

from maxcode.evaluation import (
    Comparison,
    Counterexample,
    FuzzPlan,
    FuzzResult,
    HeldOut,
    Interval,
    Status,
)
from maxcode.journal.events import Asked, Compared, Fuzzed
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, toy_verdict
from maxcode.tree import ROOT, SearchTree

Fuzzes = Callable[[Program, FuzzPlan], FuzzResult]


def wrong(program: Program) -> bool:
    """In the toy world: the programs whose last digit is a 3."""
    return program.code.endswith("3")


def fuzzed(program: Program, plan: FuzzPlan) -> FuzzResult:
    """Differences show on generated inputs, and on those that showed others."""
    if wrong(program) and (plan.count or plan.known):
        found = plan.known[0] if plan.known else Counterexample("-1", "1", "3")
        return FuzzResult(problem=f"wrong on {found.input}", counterexample=found)
    return FuzzResult(len(plan.known) + plan.count, seconds=0.5)


def held_out(program: Program) -> HeldOut:
    return HeldOut(Interval(1.5, 1.4, 1.6), inputs=6)


def executor(
    fuzzed: Fuzzes = fuzzed, held_out: Callable[[Program], HeldOut] = held_out
) -> ScriptedExecutor:
    return ScriptedExecutor(toy_verdict, fuzzed=fuzzed, held_out=held_out)


def test_a_disagreement_overrules_the_verdict_before_anything_is_promoted(toy: MakeSearch) -> None:
    search = toy(
        generator=ScriptedGenerator([["4.3", "2.0"], ["3.0"]]),
        executor=executor(),
        policy=BestOfN(batch=2, n=4),
    )
    result = search.run()
    refuted = result.tree[1]
    assert refuted.evaluation.status is Status.WRONG_ANSWER
    assert (refuted.evaluation.feedback, refuted.reward) == ("wrong on -1", 0.0)
    assert [step for step, _ in result.tree.incumbents] == [ROOT, 2, 3]
    assert result.tree.counterexamples == (Counterexample("-1", "1", "3"),)
    assert result.by_status == {Status.OK: 2, Status.WRONG_ANSWER: 1}
    fuzz = result.tree.fuzzed(result.best.id)
    assert fuzz is not None
    assert fuzz.agreed == 501  # and the counterexample
    promoted = [
        event.step
        for recorded in search.state.log.events()
        if isinstance(event := recorded.event, Compared) and event.promoted
    ]
    assert promoted == [2, 3]


@pytest.mark.slow
def test_counterexamples_are_tried_on_every_program_that_passes(toy: MakeSearch) -> None:
    generator = ScriptedGenerator([["4.3"], ["0.93"], ["timeout"], ["0.9"]])
    judge = executor()
    result = toy(generator=generator, executor=judge).run()
    statuses = [step.evaluation.status for step in result.tree]
    assert statuses == ["ok", "wrong_answer", "wrong_answer", "timeout", "ok"]
    assert judge.count("fuzz") == 3  # once on new inputs, twice on the known one
    assert judge.count("compare") == 1


@pytest.mark.slow
def test_an_incumbent_is_tried_on_what_was_found_after_its_promotion(toy: MakeSearch) -> None:
    def late(program: Program, plan: FuzzPlan) -> FuzzResult:
        if program.code == "2.5" and plan.known:
            return FuzzResult(problem="wrong, too", counterexample=plan.known[0])
        return fuzzed(program, plan)

    generator = ScriptedGenerator([["2.0"], ["2.5"], ["3.3"]])
    result = toy(generator=generator, executor=executor(fuzzed=late)).run()
    assert result.best.program.code == "2.0"
    assert result.confirmed
    assert [step.evaluation.status for step in result.tree][2:] == ["wrong_answer"] * 2


@pytest.mark.slow
def test_a_program_that_is_wrong_on_a_held_out_input_is_not_returned(toy: MakeSearch) -> None:
    def hold_out(program: Program) -> HeldOut:
        if program.code == "2.5":
            return HeldOut(None, 6, problem="differs", counterexample=Counterexample("9"))
        return held_out(program)

    generator = ScriptedGenerator([["2.0"], ["2.5"]])
    result = toy(generator=generator, executor=executor(held_out=hold_out)).run()
    assert (result.best.program.code, result.confirmed) == ("2.0", True)
    assert result.tree[2].evaluation.feedback == "differs"
    assert result.held_out == held_out(result.program)


class Drawing(ScriptedExecutor):
    """Finds programs wrong by the inputs that rounds of a comparison draw."""

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        """Without a ratio where a program is wrong on one of those."""
        found = super().compare(task, a, b)
        if not wrong(a):
            return found
        failed = FuzzResult(problem="wrong on 7", counterexample=Counterexample("7", "1", "3"))
        return Comparison(None, problem="a program failed", first_wrong=failed)


@pytest.mark.slow
def test_what_a_round_draws_makes_a_program_wrong_and_is_tried_on_all_others_at_once(
    toy: MakeSearch,
) -> None:
    def known_only(program: Program, plan: FuzzPlan) -> FuzzResult:
        return fuzzed(program, plan) if plan.known else FuzzResult(plan.count)

    generator = ScriptedGenerator([["2.0"], ["0.93"], ["4.3"], ["1.5"]])
    judge = Drawing(toy_verdict, fuzzed=known_only, held_out=held_out)
    search = toy(generator=generator, executor=judge)
    result = search.run()
    statuses = [step.evaluation.status for step in result.tree]
    assert statuses == ["ok", "ok", "wrong_answer", "wrong_answer", "ok"]
    assert result.tree[3].evaluation.feedback == "wrong on 7"
    assert result.tree.counterexamples == (Counterexample("7", "1", "3"),)
    assert (result.best.program.code, result.confirmed) == ("2.0", True)
    events = [recorded.event for recorded in search.state.log.events()]
    found = [n for n, event in enumerate(events) if isinstance(event, Fuzzed)]
    asked = [n for n, event in enumerate(events) if isinstance(event, Asked)]
    assert max(found) < asked[-1]  # before the last expansion


def test_a_policy_returns_nothing_that_further_inputs_show_to_be_wrong(toy: MakeSearch) -> None:
    class Last(BestOfN):
        def returned(self, tree: SearchTree) -> int:
            return [step.id for step in tree if step.evaluation.ok][-1]

    generator = ScriptedGenerator([["2.0"], ["1.5"], ["1.3"]])
    result = toy(generator=generator, executor=executor(), policy=Last()).run()
    assert (result.best.program.code, result.confirmed) == ("1.5", True)
    assert result.tree[3].evaluation.status is Status.WRONG_ANSWER
