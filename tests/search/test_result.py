"""Results: their figures, and how notebooks show them."""

import re

import pytest
from tests._runs import MakeSearch
from tests.report._hostile import hostile_search

from maxcode.budget import Budget
from maxcode.evaluation import Status
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.landscape import Landscape, LandscapeExecutor, LandscapeGenerator, Terrain
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.search.result import Result
from maxcode.search.search import optimize
from maxcode.testing import ScriptedGenerator


def test_the_result_of_a_run_that_improved(toy: MakeSearch) -> None:
    search = toy(generator=ScriptedGenerator([["2.0", "timeout", "1.5"]]))
    result = search.run()
    assert (result.run_id, result.task, result.status) == (search.run_id, "toy", "done")
    assert (result.best.id, result.program.code) == (1, "2.0")
    assert result.speedup == result.tree.confirmed(1)
    assert (result.confirmed, result.improved) == (True, True)
    assert result.by_status == {Status.OK: 2, Status.TIMEOUT: 1}
    assert result.baseline.value == 1.0
    assert "-1.0" in result.diff()
    assert "+2.0" in result.diff()
    assert repr(result) == f"<Result {search.run_id}: done, 2.00x [2.00, 2.00], confirmed>"


def test_what_was_measured_is_what_the_speedup_rests_on() -> None:
    task = Landscape.on(Terrain(seed=1, noise=0.05))
    result = optimize(
        task,
        generator=LandscapeGenerator(),
        executor=LandscapeExecutor(),
        policy=MaxCodeLoop(k=4),
        budget=Budget(evaluations=16),
    )
    assert result.measured
    before, now = result.measured
    assert result.confirmed
    assert result.speedup.low < before.median / now.median < result.speedup.high
    comparison = result.tree.confirmation(result.best.id)
    assert comparison
    assert (before, now) == (comparison.second[0], comparison.first[0])


@pytest.mark.parametrize(("min_gain", "improved"), [(0.01, False), (0.0, True)])
def test_a_gain_below_the_floor_is_not_worth_a_change(
    toy: MakeSearch, min_gain: float, *, improved: bool
) -> None:
    options = Options(min_gain=min_gain, threads=1)
    result = toy(generator=ScriptedGenerator([["1.004"]]), options=options).run()
    assert (result.best.id, result.improved) == (1, improved)
    assert result.nothing == "nothing worth changing: the best gains 0.4 %, less than " + (
        "0 %" if improved else "1 %"
    )


def test_a_run_under_way_has_a_result_too(toy: MakeSearch) -> None:
    search = toy(generator=ScriptedGenerator([["2.0"], ["3.0"]]))
    steps = search.steps()
    next(steps)
    result = Result.of(RunState.load(search.state.log))
    assert (result.status, result.reason, len(result.tree)) == ("running", "", 2)
    assert (result.speedup.value, result.confirmed) == (2.0, False)


# -- in notebooks --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "headline"), [("2.0", "2.00x [2.00, 2.00] faster"), ("0.5", "nothing faster found")]
)
def test_a_notebook_shows_headline_and_diff(toy: MakeSearch, answer: str, headline: str) -> None:
    shown = toy(generator=ScriptedGenerator([[answer, "timeout"]])).run()._repr_html_()
    assert f"toy: {headline}" in shown
    assert (f"+{answer}\n" in shown) == (answer == "2.0")


@pytest.mark.slow
def test_hostile_texts_stay_texts_in_a_notebook(journal: Journal) -> None:
    shown = hostile_search(journal).run()._repr_html_()
    assert re.findall(r"</?\w+", shown) == ["<pre", "</pre"]
    assert "&lt;script&gt;window.ran=true&lt;/script&gt;" in shown
    assert "\x1b" not in shown
