"""Effi-Learner's metrics: what of a run they are taken from, and how they are put together."""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, replace
from random import Random

import pytest
from pydantic import TypeAdapter
from tests._runs import begun

from maxcode.budget import Budget
from maxcode.comparison.efficiency import (
    Clock,
    Overhead,
    OverheadFigures,
    RunOverhead,
    efficiency,
    read_overhead,
)
from maxcode.errors import JournalError
from maxcode.evaluation import Baseline, Comparison, Evaluation, Measurement
from maxcode.interfaces import SearchPolicy
from maxcode.journal.journal import Journal
from maxcode.landscape import Landscape, LandscapeExecutor, LandscapeGenerator, Terrain
from maxcode.policies.effi_learner import EffiLearner
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, toy_verdict
from maxcode.tree import Expansion, SearchTree


def run(task: str, program: Overhead, baseline: Overhead, meter: str = "cpu") -> RunOverhead:
    return RunOverhead(task, meter, "comparison", program, baseline)


def cpu(task: str, program: float, baseline: float) -> RunOverhead:
    return run(task, Overhead(cpu_seconds=program), Overhead(cpu_seconds=baseline))


def of(figures: OverheadFigures | None) -> OverheadFigures:
    assert figures is not None
    return figures


def test_the_paper_weighs_tasks_alike_and_its_scripts_by_their_cost() -> None:
    found = of(efficiency([cpu("quick", 0.5, 1.0), cpu("slow", 9.0, 10.0)]).time)
    assert found.program == pytest.approx(9.5 / 2)
    assert found.baseline == pytest.approx(11 / 2)
    assert found.mean_of_ratios.value == pytest.approx((0.5 + 0.9) / 2)
    assert found.ratio_of_totals == pytest.approx(9.5 / 11)
    assert (found.mean_of_ratios.low, found.mean_of_ratios.high) == pytest.approx((0.5, 0.9))


def test_a_task_counts_once_however_many_runs_it_has() -> None:
    runs = [cpu("often", 1.0, 2.0), cpu("often", 3.0, 4.0), cpu("once", 10.0, 10.0)]
    found = of(efficiency(runs).time)
    assert (found.program, found.baseline) == pytest.approx(((2 + 10) / 2, (3 + 10) / 2))
    assert found.mean_of_ratios.value == pytest.approx(((0.5 + 0.75) / 2 + 1) / 2)
    assert found.ratio_of_totals == pytest.approx((2 + 10) / (3 + 10))


def test_each_figure_is_of_the_runs_that_have_it() -> None:
    whole = run("a", Overhead(1.0, 1.2, 3e6, 4.0), Overhead(2.0, 2.4, 2e6, 5.0))
    half = run("b", Overhead(wall_seconds=3.0, peak_bytes=1e6), Overhead(wall_seconds=4.0), "wall")
    found = efficiency([whole, half, run("c", Overhead(), Overhead(), "instructions")])
    assert (of(found.time).runs, of(found.time).missing) == (2, 1)
    assert (of(found.peak_memory).runs, of(found.peak_memory).missing) == (1, 2)
    assert of(found.peak_memory).ratio_of_totals == pytest.approx(1.5)
    assert of(found.memory_integral).mean_of_ratios.value == pytest.approx(0.8)
    assert efficiency([half]).memory_integral is None
    assert efficiency([]).time is None


@pytest.mark.parametrize(("clock", "seconds"), [(None, (1.0, 30.0)), ("wall", (10.0, 30.0))])
def test_times_are_by_each_runs_own_clock_unless_one_is_named(
    clock: Clock | None, seconds: tuple[float, float]
) -> None:
    both = Overhead(cpu_seconds=2.0, wall_seconds=60.0)
    runs = [
        run("a", Overhead(cpu_seconds=1.0, wall_seconds=10.0), both, "memory_integral"),
        run("b", Overhead(cpu_seconds=3.0, wall_seconds=30.0), both, "wall"),
    ]
    assert of(efficiency(runs, clock).time).program == pytest.approx(sum(seconds) / 2)


def test_an_overhead_is_of_medians_and_of_the_first_of_several() -> None:
    found = Overhead.of(
        [
            Measurement("wall", "s", (3.0, 1.0, 2.0)),
            Measurement("speed of light", "s", (0.1,)),
            Measurement("wall", "s", (9.0,)),
            Measurement("peak_memory", "B", (0.0,)),
        ]
    )
    assert found == Overhead(wall_seconds=2.0)


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
    """The more memory, the faster; ``against`` holds texts scored against another program.

    In the nth comparison the baseline takes n seconds.
    """

    def __init__(self, *against: str) -> None:
        super().__init__(toy_verdict)
        self.against = against

    def prepare(self, task: Task) -> Baseline:
        made = super().prepare(task)
        return replace(made, measurements=metered(made.measurements, PREPARED))

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        made = super().evaluate(task, program)
        return replace(
            made,
            measurements=metered(made.measurements, SCORED),
            reference=metered(made.reference, SCORED),
            against=task.baseline.digest if program.code in self.against else "",
        )

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
    found = read_overhead(journal.run(one.run_id))
    assert (found.samples, found.meter, found.task) == ("comparison", "cpu", "toy")
    assert found.program == Overhead(cpu_seconds=3 / 4, peak_bytes=4e6)  # the second was of the two
    assert found.baseline == Overhead(cpu_seconds=3.0, peak_bytes=1e6)
    assert TypeAdapter(RunOverhead).validate_python(asdict(found)) == found


def test_the_comparison_that_counts_is_the_last(
    search: Callable[..., Search], journal: Journal
) -> None:
    one = search("2.0", "0.5")
    one.run()  # the first was compared with the baseline to take its place, too
    assert read_overhead(journal.run(one.run_id)).baseline.cpu_seconds == 2.0


@pytest.mark.parametrize(
    ("against", "samples", "baseline"), [((), "score", SCORED), (("4.0",), "apart", PREPARED)]
)
def test_a_run_that_was_cut_short_is_told_by_what_the_search_saw(
    search: Callable[..., Search],
    journal: Journal,
    against: tuple[str, ...],
    samples: str,
    baseline: float,
) -> None:
    one = search("2.0", "4.0", executor=Metered(*against))
    with closing(one.steps()) as steps:
        for _ in steps:
            found = read_overhead(journal.run(one.run_id))
            if found.program.peak_bytes == 4e6:
                break
    assert (found.samples, found.program.cpu_seconds) == (samples, SCORED / 4)
    assert found.baseline.cpu_seconds == baseline


def test_where_nothing_was_faster_the_baseline_stands_for_both(
    search: Callable[..., Search], journal: Journal
) -> None:
    one = search("0.5", "0.9")
    one.run()
    found = read_overhead(journal.run(one.run_id))
    assert found.samples == "baseline"
    assert found.program == found.baseline == Overhead(cpu_seconds=PREPARED, peak_bytes=1e6)
    assert of(efficiency([found]).time).ratio_of_totals == 1.0


def test_what_a_policy_hands_back_may_be_slower_and_hold_less(
    search: Callable[..., Search], journal: Journal
) -> None:
    one = search("2.0", "0.5", policy=EffiLearner(steps=2, metric="peak_memory"))
    one.run()
    found = efficiency([read_overhead(journal.run(one.run_id))])
    assert of(found.time).ratio_of_totals == pytest.approx(2.0)
    assert of(found.peak_memory).ratio_of_totals == pytest.approx(0.5)


def test_a_simulated_run_has_none_of_the_figures(journal: Journal) -> None:
    one = Search(
        Landscape.on(Terrain(1)),
        generator=LandscapeGenerator(),
        executor=LandscapeExecutor(),
        policy=EffiLearner(steps=2),
        budget=Budget(evaluations=2),
        journal=journal,
    )
    one.run()
    found = read_overhead(journal.run(one.run_id))
    assert found.meter == "simulated"
    assert (found.program, found.baseline) == (Overhead(), Overhead())
    assert set(asdict(efficiency([found])).values()) == {None}


def test_a_run_without_a_baseline_cannot_be_read(journal: Journal) -> None:
    with pytest.raises(JournalError, match="stopped before its baseline"):
        read_overhead(begun(journal))
