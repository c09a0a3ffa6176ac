"""A policy may hand back something else than the best; what people are told is measured."""

from random import Random

import pytest
from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.errors import PolicyError
from maxcode.evaluation import Status
from maxcode.interfaces import SearchPolicy
from maxcode.journal.journal import Journal
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, Verdict, toy_verdict
from maxcode.tree import ROOT, Expansion, SearchTree

BATCH = ["2.0", "1.5", "timeout"]


class HandsBack(SearchPolicy):
    """One batch; then it hands back the step it was told."""

    def __init__(self, step: int) -> None:
        self.step = step

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        return [] if tree.expansions else [Expansion(ROOT, 3)]

    def returned(self, tree: SearchTree) -> int:
        return self.step


def search(toy: MakeSearch, step: int, **given: object) -> Search:
    generator = ScriptedGenerator([BATCH, ["3.0"]])
    return toy(generator=generator, policy=HandsBack(step), **given)


def test_another_step_than_the_best_is_measured_against_the_baseline(toy: MakeSearch) -> None:
    truth = {"1.0": 1.0, "2.0": 2.0, "1.5": 1.25}
    executor = ScriptedExecutor(toy_verdict, truth=truth)
    result = search(toy, 2, executor=executor).run()
    assert (result.best.id, result.returned, result.tree.best.id) == (2, 2, 1)
    assert result.speedup.value == pytest.approx(1.25)
    assert (result.confirmed, result.improved) == (True, True)
    assert "+1.5" in result.diff()


def test_what_fails_when_it_is_measured_is_not_handed_back(toy: MakeSearch) -> None:
    def truth(program: Program) -> Verdict:
        return Status.TIMEOUT if program.code == "1.5" else toy_verdict(program)

    result = search(toy, 2, executor=ScriptedExecutor(toy_verdict, truth=truth)).run()
    assert (result.best.id, result.speedup.value, result.improved) == (ROOT, 1.0, False)


def test_a_run_that_goes_on_has_not_handed_back_anything_yet(
    toy: MakeSearch, journal: Journal
) -> None:
    one = search(toy, 2)
    one.run()
    resumed = toy(
        generator=ScriptedGenerator([BATCH, ["3.0"]]),
        policy=BestAgain(),
        journal=journal.run(one.run_id),
        budget=Budget(evaluations=4),
    )
    result = resumed.run()
    assert (result.program.code, result.returned) == ("3.0", None)


class BestAgain(SearchPolicy):
    """One more candidate; hands back the best."""

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        return [Expansion(tree.best.id)] if tree.expansions < 2 else []


@pytest.mark.parametrize("step", [3, 4, -1])
def test_only_correct_steps_can_be_handed_back(toy: MakeSearch, step: int) -> None:
    with pytest.raises(PolicyError, match=f"HandsBack returned step {step}, which is not a corr"):
        search(toy, step).run()
