"""Effi-Learner's metrics: what of a run they are taken from, and how they are put together."""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from random import Random

import pytest

from maxcode.comparison.efficiency import OverheadFigures, RunOverhead, efficiency, overhead_of
from maxcode.evaluation import Baseline, Comparison, Evaluation, Measurement
from maxcode.interfaces import SearchPolicy
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.program import Program
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, toy_verdict
from maxcode.tree import Expansion, SearchTree


def timed(task: str, program: float, baseline: float) -> RunOverhead:
    return RunOverhead(task, {"time": program}, {"time": baseline})


def read(journal: Journal, search: Search) -> RunOverhead:
    return overhead_of(Result.of(RunState.load(journal.run(search.run_id))))


def of(figures: OverheadFigures | None) -> OverheadFigures:
    assert figures is not None
    return figures


def test_the_paper_weighs_tasks_alike_and_its_scripts_by_their_cost() -> None:
    found = of(efficiency([timed("quick", 0.5, 1.0), timed("slow", 9.0, 10.0)])["time"])
    assert found.program == pytest.approx(9.5 / 2)
    assert found.baseline == pytest.approx(11 / 2)
    assert found.mean_of_ratios.value == pytest.approx((0.5 + 0.9) / 2)
    assert found.ratio_of_totals == pytest.approx(9.5 / 11)
    assert (found.mean_of_ratios.low, found.mean_of_ratios.high) == pytest.approx((0.5, 0.9))


def test_a_task_counts_once_however_many_runs_it_has() -> None:
    runs = [timed("often", 1.0, 2.0), timed("often", 3.0, 4.0), timed("once", 10.0, 10.0)]
    found = of(efficiency(runs)["time"])
    assert (found.program, found.baseline) == pytest.approx(((2 + 10) / 2, (3 + 10) / 2))
    assert found.mean_of_ratios.value == pytest.approx(((0.5 + 0.75) / 2 + 1) / 2)
    assert found.ratio_of_totals == pytest.approx((2 + 10) / (3 + 10))


def test_each_figure_is_of_the_runs_that_have_it() -> None:
    whole = RunOverhead(
        "a",
        {"time": 1.0, "peak_memory": 3e6, "memory_integral": 4.0},
        {"time": 2.0, "peak_memory": 2e6, "memory_integral": 5.0},
    )
    half = RunOverhead("b", {"time": 3.0, "peak_memory": 1e6}, {"time": 4.0})
    found = efficiency([whole, half, RunOverhead("c", {}, {})])
    assert (of(found["time"]).runs, of(found["time"]).missing) == (2, 1)
    assert (of(found["peak_memory"]).runs, of(found["peak_memory"]).missing) == (1, 2)
    assert of(found["peak_memory"]).ratio_of_totals == pytest.approx(1.5)
    assert of(found["memory_integral"]).mean_of_ratios.value == pytest.approx(0.8)
    assert efficiency([half])["memory_integral"] is None
    assert efficiency([])["time"] is None


# -- runs ------------------------------------------------------------------------------------------

PREPARED, SCORED = 0.8, 0.9  # seconds that the baseline takes


def metered(seconds: Iterable[Measurement], baseline: float) -> tuple[Measurement, ...]:
    """Of a program that takes so many times the baseline's memory as it is faster, in bytes."""
    (one,) = seconds
    return (
        Measurement("cpu", "s", (one.median * baseline,)),
        Measurement("peak_memory", "B", (1e6 / one.median,)),
    )


class Metered(ScriptedExecutor):
    """The more memory, the faster; in the nth comparison the baseline takes n seconds."""

    def __init__(self) -> None:
        super().__init__(toy_verdict)

    def prepare(self, task: Task) -> Baseline:
        made = super().prepare(task)
        return replace(made, measurements=metered(made.measurements, PREPARED))

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        made = super().evaluate(task, program)
        return replace(made, measurements=metered(made.measurements, SCORED))

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        made = super().compare(task, a, b)
        number = self.count("compare")
        return replace(made, first=metered(made.first, number), second=metered(made.second, number))


class Twice(SearchPolicy):
    """A candidate of the baseline, then one of the best."""

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        return [Expansion(tree.best.id)] if not tree.pending and tree.expansions < 2 else []


@pytest.fixture
def search(toy: Callable[..., Search]) -> Callable[..., Search]:
    """A search in which two candidates are proposed, one after the other."""

    def make(first: str, second: str, **given: object) -> Search:
        generator = ScriptedGenerator([[first], [second]])
        return toy(generator=generator, **{"policy": Twice(), "executor": Metered(), **given})

    return make


def test_a_confirmed_program_is_told_by_the_samples_of_its_comparison_with_the_baseline(
    search: Callable[..., Search], journal: Journal
) -> None:
    one = search("2.0", "4.0")
    one.run()
    found = read(journal, one)
    assert found.task == "toy"  # the second comparison was of the two
    assert found.program == {"time": 3 / 4, "peak_memory": 4e6}
    assert found.baseline == {"time": 3.0, "peak_memory": 1e6}


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_times_are_medians_by_the_runs_own_clock(
    toy: Callable[..., Search], journal: Journal, clock: str
) -> None:
    class Clocked(ScriptedExecutor):
        def prepare(self, task: Task) -> Baseline:
            other = {"cpu": "wall", "wall": "cpu"}[clock]
            first = Measurement(clock, "s", (3.0, 1.0, 2.0))
            rest = Measurement(other, "s", (7.0,)), Measurement(clock, "s", (9.0,))
            nothing = Measurement("peak_memory", "B", (0.0,))
            return replace(super().prepare(task), measurements=(first, *rest, nothing))

    one = toy(generator=ScriptedGenerator([["0.5"]]), executor=Clocked(toy_verdict))
    one.run()
    assert read(journal, one).baseline == {"time": 2.0}


def test_a_run_that_was_cut_short_is_told_by_what_the_search_saw(
    search: Callable[..., Search], journal: Journal
) -> None:
    one = search("2.0", "4.0")
    with closing(one.steps()) as steps:
        for _ in steps:
            found = read(journal, one)
            if found.program.get("peak_memory") == 4e6:
                break
    assert found.program["time"] == SCORED / 4
    assert found.baseline["time"] == PREPARED


def test_where_nothing_was_faster_the_baseline_stands_for_both(
    search: Callable[..., Search], journal: Journal
) -> None:
    one = search("0.5", "0.9")
    one.run()
    found = read(journal, one)
    assert found.program == found.baseline == {"time": PREPARED, "peak_memory": 1e6}
    assert of(efficiency([found])["time"]).ratio_of_totals == 1.0
