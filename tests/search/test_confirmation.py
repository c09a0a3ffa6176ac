"""What is promoted: the best of fresh comparisons, not the luckiest score."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests._runs import MakeSearch

from maxcode.errors import ExecutorError
from maxcode.evaluation import Comparison, Interval, Status
from maxcode.journal.events import Compared
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, Verdict, toy_verdict
from maxcode.tree import ROOT


def compared(search: Search) -> list[tuple[int, int, bool]]:
    """Step, opponent and whether it was promoted, for each comparison."""
    events = [recorded.event for recorded in search.state.log.events()]
    return [(e.step, e.against, e.promoted) for e in events if isinstance(e, Compared)]


@pytest.mark.slow
def test_a_lucky_score_is_not_promoted(toy: MakeSearch) -> None:
    search = toy(
        generator=ScriptedGenerator([["lucky"], ["honest"]]),
        executor=ScriptedExecutor(
            {"lucky": 9.0, "honest": 2.0}, truth={"lucky": 1.0, "honest": 1.5}
        ),
    )
    result = search.run()
    assert compared(search) == [(1, ROOT, False), (2, ROOT, True), (2, ROOT, False)]
    assert result.best.program.code == "honest"
    assert result.speedup.value == 1.5
    assert result.tree[1].reward == 9.0


@pytest.mark.slow
@pytest.mark.parametrize("last", [Status.RUNTIME_ERROR, 1.0, 0.5])
def test_a_best_that_does_not_hold_at_the_end_gives_way_to_the_one_before(
    toy: MakeSearch, last: Verdict
) -> None:
    # In pairs: 2.0 beats 1.0, 3.0 beats 2.0 and then fails beside 1.0, beside which 2.0 holds.
    other = [] if isinstance(last, Status) else [1.0]  # who fails is compared no further
    verdicts: Iterator[Verdict] = iter([2.0, 1.0, 3.0, 2.0, last, *other, 2.0, 1.0])
    search = toy(
        generator=ScriptedGenerator([["2.0"], ["3.0"]]),
        executor=ScriptedExecutor(toy_verdict, truth=lambda _: next(verdicts)),
    )
    result = search.run()
    assert compared(search) == [
        (1, ROOT, True),
        (2, 1, True),
        (2, ROOT, False),
        (1, ROOT, False),
    ]
    assert (result.best.program.code, result.confirmed, result.speedup.value) == ("2.0", True, 2.0)
    assert result.improved


@pytest.mark.slow
def test_after_a_best_that_did_not_hold_the_other_candidates_are_measured(toy: MakeSearch) -> None:
    # In pairs: 4.0 beats 1.0 and then fails beside it; 3.0, never looked at before, holds twice.
    verdicts: Iterator[Verdict] = iter([4.0, 1.0, 1.0, 1.0, 3.0, 1.0, 3.0, 1.0])
    search = toy(
        generator=ScriptedGenerator([["4.0", "3.0"]]),
        executor=ScriptedExecutor(toy_verdict, truth=lambda _: next(verdicts)),
    )
    result = search.run()
    assert compared(search) == [
        (1, ROOT, True),
        (1, ROOT, False),
        (2, ROOT, True),
        (2, ROOT, False),
    ]
    assert (result.best.program.code, result.confirmed) == ("3.0", True)


@pytest.mark.slow
def test_a_comparison_is_repeated_when_the_harness_fails(toy: MakeSearch) -> None:
    class Shaky(ScriptedExecutor):
        failures = 2

        def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
            if self.failures:
                self.failures -= 1
                raise ExecutorError("the disk is full")
            return super().compare(task, a, b)

    result = toy(generator=ScriptedGenerator([["2.0"]]), executor=Shaky(toy_verdict)).run()
    assert (result.best.program.code, result.confirmed) == ("2.0", True)


class Unsure(ScriptedExecutor):
    """Its first ``unsure`` comparisons leave open which program is faster."""

    unsure = 1

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        found = super().compare(task, a, b)
        if found.ratio and self.unsure > 0:
            self.unsure -= 1
            return replace(found, ratio=Interval(found.ratio.value, 0.5, 9.0))
        return found


@pytest.mark.parametrize(("unsure", "promoted"), [(1, True), (2, False)])
def test_what_a_comparison_left_open_is_compared_once_more_at_the_end(
    toy: MakeSearch, unsure: int, promoted: bool
) -> None:
    executor = Unsure(toy_verdict)
    executor.unsure = unsure
    search = toy(generator=ScriptedGenerator([["2.0"]]), executor=executor)
    result = search.run()
    again = [(1, ROOT, False), (1, ROOT, promoted)]
    assert compared(search) == [*again, *[(1, ROOT, False)] * promoted]
    assert result.improved == promoted
