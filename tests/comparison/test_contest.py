"""Standings, differences and curves of comparisons whose figures are known."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from tests.comparison._contests import contest, outcome

from maxcode.budget import Cost
from maxcode.comparison.contest import Contest, Failure
from maxcode.comparison.decision import spending
from maxcode.comparison.documents import document, table
from maxcode.comparison.method import Method, ablation
from maxcode.errors import InputError
from maxcode.evaluation import Reason
from maxcode.policies.best_of_n import BestOfN


def test_a_standing_by_hand() -> None:
    known = contest(
        {
            "best-of-n": {"a": [1.0, 1.0], "b": [2.0, 2.0]},
            "mine": {"a": [4.0, 1.0], "b": [0.0, 0.7]},
        }
    )
    control, mine = known.standings()
    assert mine.geometric_mean.value == pytest.approx(2**0.5)  # a: 2, b: 1
    assert mine.median.value == pytest.approx(1.5)
    assert control.geometric_mean.value == pytest.approx(2**0.5)  # a: 1, b: 2
    assert mine.rank.value == pytest.approx((1 + 1.5 + 2 + 2) / 4)
    assert control.rank.value == pytest.approx(3 - mine.rank.value)
    assert mine.correct.value == 0.75
    assert {p: share.value for p, share in mine.fast.items()} == {
        0.0: 0.75, 0.5: 0.75, 0.8: 0.5, 1.0: 0.25, 1.5: 0.25, 2.0: 0.25
    }  # fmt: skip
    assert mine.optimised.value == 0.25
    assert [mine.evaluations, mine.tokens, mine.dollars] == pytest.approx([10, 100, 0.1])
    assert (mine.seconds, mine.runs) == (3.0, 4)


def test_equal_programs_share_their_place_whatever_was_measured() -> None:
    known = contest({"best-of-n": {"a": [2.0] * 4}, "mine": {"a": [2.2] * 4}})
    runs = tuple(replace(one, program=f"program {one.seed}") for one in known.outcomes)
    known = replace(known, outcomes=runs)
    for standing in known.standings():
        assert standing.rank.low == standing.rank.value == standing.rank.high == 1.5
    (difference,) = known.differences()
    assert (difference.ratio.value, difference.verdict) == (1.0, "not told apart")
    assert {run.speedup for run in known.outcomes} == {2.0, 2.2}  # runs stay as they were measured


def test_a_comparison_says_what_it_would_have_missed() -> None:
    gains = (1.1, 0.95, 1.2, 0.9, 1.05, 1.0, 1.1, 0.95)
    raw = {"best-of-n": {"a": [2.0] * 8}, "mine": {"a": [2.0 * gain for gain in gains]}}
    (difference,) = contest(raw).differences()
    assert difference.verdict == "not told apart"
    assert difference.detectable == pytest.approx(1.135, abs=0.001)
    assert "a difference below 14 % would often be missed" in str(difference)
    few = {name: {"a": speedups["a"][:3]} for name, speedups in raw.items()}
    (difference,) = contest(few).differences()
    assert difference.detectable is None  # three pairs decide nothing
    assert "no difference could be found" in str(difference)


def test_all_pairs_are_corrected_together() -> None:
    means = {"best-of-n": 2.0, "mine": 2.4, "other": 3.0}
    seeds = [1 + seed / 100 for seed in range(8)]
    raw = {name: {"a": [mean * x for x in seeds]} for name, mean in means.items()}
    found = contest(raw).all_pairs()
    pairs = [(one.method, one.other) for one in found]
    assert pairs == [("mine", "best-of-n"), ("other", "best-of-n"), ("other", "mine")]
    assert all(one.corrected == pytest.approx(3 * one.p) for one in found)


def test_a_real_difference_is_told_as_one() -> None:
    rng = np.random.default_rng(0)
    tasks = {name: rng.lognormal(1, 0.1, 8).tolist() for name in ("a", "b", "c", "d", "e")}
    better = {
        name: [(1.3 + place / 1000) * x for x in values]
        for place, (name, values) in enumerate(tasks.items(), -2)
    }
    known = contest({"best-of-n": tasks, "better": better, "same": tasks})
    found = {one.method: one for one in known.differences()}
    assert found["better"].real
    assert found["better"].verdict == "better"
    assert found["better"].ratio.value == pytest.approx(1.3, abs=1e-5)
    assert "better is better than best-of-n: 1.30x [1.30, 1.30], p = " in str(found["better"])
    assert found["same"].verdict == "not told apart"
    assert "cannot be told apart" in str(found["same"])
    (worse, _) = known.differences("better")
    assert (worse.method, worse.other, worse.verdict) == ("best-of-n", "better", "worse")


def test_fewer_than_eight_pairs_decide_nothing() -> None:
    gains = (1.30, 1.31, 1.32, 1.33, 1.34)  # a t-test over tasks has p < 0.0001
    found = contest(
        {
            "best-of-n": {str(task): [2.0] for task, _ in enumerate(gains)},
            "mine": {str(task): [2.0 * gain] for task, gain in enumerate(gains)},
        }
    ).differences()[0]
    assert found.verdict == "not told apart"
    assert found.ratio.low > 1.29


def test_seeds_that_are_not_whole_decide_nothing_yet() -> None:
    seeds = [1.0 + seed / 100 for seed in range(8)]
    whole = contest({"best-of-n": {"a": seeds}, "mine": {"a": [3 * x for x in seeds]}})
    assert whole.differences()[0].p < 0.05
    early = replace(whole, planned=len(whole.outcomes) + 1)  # a task may be to come
    assert early.differences()[0].p == 1.0  # seven pairs


def test_methods_that_end_with_budget_left_are_named() -> None:
    known = contest({"best-of-n": {"a": [2.0, 2.0]}, "mine": {"a": [3.0, 3.0]}})
    spent = [replace(one, cause=Reason.BUDGET) for one in known.outcomes[:3]]
    short = replace(known.outcomes[3], reason="the policy has nothing more to ask for")
    [early] = replace(known, outcomes=(*spent, short)).ended_early
    assert (early.method, early.count, early.runs) == ("mine", 1, 2)
    assert str(early) == (
        "1 of 2 runs of mine ended before the budget was spent; most often (1): "
        "the policy has nothing more to ask for"
    )


def test_effects_hold_methods_that_differ_by_a_switch_against_each_other() -> None:
    methods = ablation(Method("loop", BestOfN(4)), "maxcode")
    assert [method.name for method in methods] == [
        "loop@none",
        "loop@trajectory,best",
        "loop@trajectory,critique",
        "loop@critique,best",
        "loop@maxcode",
    ]
    speedups = dict(
        zip((method.name for method in methods), (1.0, 2.0, 3.0, 4.0, 6.0), strict=True)
    )
    raw = {"best-of-n": {"a": [1.0], "b": [1.0]}}
    raw |= {name: {"a": [value], "b": [value]} for name, value in speedups.items()}
    found = {one.method: one.ratio.value for one in contest(raw).effects(methods)}
    assert found == pytest.approx(
        {
            "showing the trajectory": 6 / 4,
            "showing the critique": 6 / 2,
            "showing the best": 6 / 3,
        }
    )


def test_what_holds_on_these_tasks_only_is_said_to() -> None:
    seeds = [1.0 + seed / 100 for seed in range(12)]
    control = {"a": seeds, "b": seeds}
    mixed = {"a": [2 * x for x in seeds], "b": [x / 1.0001 for x in seeds]}
    found = contest({"best-of-n": control, "mixed": mixed}).differences()[0]
    assert found.verdict == "better here"
    assert not found.real
    assert "on these tasks, which need not hold for others" in str(found)


@pytest.mark.slow
def test_tasks_that_favour_one_or_the_other_are_seldom_taken_for_a_rule() -> None:
    """Methods that are equal over all tasks, but each better on some of them."""
    rng = np.random.default_rng(11)
    called = 0
    for _ in range(150):
        names = [f"t{number}" for number in range(4)]
        favours = rng.normal(0, 0.3, 4)
        raw = {
            method: {
                task: np.exp(1 + side * favour + rng.normal(0, 0.1, 8)).tolist()
                for task, favour in zip(names, favours, strict=True)
            }
            for method, side in (("best-of-n", -0.5), ("mine", 0.5))
        }
        called += contest(raw).differences()[0].real
    assert called <= 16  # 7.5 are expected


def test_a_method_that_never_works_takes_nothing_from_the_others() -> None:
    works = contest({"best-of-n": {"a": [2.0, 2.0]}, "mine": {"a": [3.0, 3.0]}})
    failures = tuple(Failure("broken", "a", seed, "no", RuntimeError("no")) for seed in (0, 1))
    known = Contest((*works.methods, "broken"), works.control, works.outcomes, failures, planned=6)
    assert known.left_out == ("broken",)
    assert [one.method for one in known.standings()] == ["best-of-n", "mine"]
    assert [one.method for one in known.differences()] == ["mine"]
    assert json.loads(json.dumps(document(known)))["left_out"] == ["broken"]


def test_what_has_no_price_is_not_said_to_be_free() -> None:
    known = contest({"best-of-n": {"a": [2.0]}, "mine": {"a": [3.0]}})
    unpriced = replace(known.outcomes[1], spent=Cost(10, 100, 0.0, 3.0, unpriced=100))
    known = Contest(known.methods, known.control, (known.outcomes[0], unpriced))
    assert [one.unpriced for one in known.standings()] == [0, 100]
    assert not known.spent_any("dollars")
    assert known.rows()[1]["unpriced_tokens"] == 100


def test_only_pairs_that_every_method_came_through_are_compared() -> None:
    whole = contest({"best-of-n": {"a": [2.0, 2.0]}, "mine": {"a": [3.0]}})
    failure = Failure("mine", "a", 1, "no disk", RuntimeError("no disk"))
    known = Contest(whole.methods, whole.control, whole.outcomes, (failure,), planned=5)
    assert known.pairs == (("a", 0),)
    assert known.missing == 1
    assert known.standings()[0].runs == 2
    told = document(known)
    assert told["failures"] == [{"method": "mine", "task": "a", "seed": 1, "message": "no disk"}]
    assert len(known.rows()) == 3


def test_without_a_complete_pair_there_are_no_figures() -> None:
    known = Contest(("a", "b"), "a", (outcome("a", "t", 0, 2.0),), planned=2)
    assert not known.standings()
    assert not known.differences()
    assert not known.curves()
    assert json.dumps(document(known))


def test_an_unknown_method_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="no method 'x'; there are: best-of-n"):
        contest({"best-of-n": {"a": [1.0]}, "mine": {"a": [1.0]}}).differences("x")


def test_groups_of_methods_are_held_against_groups() -> None:
    raw = {"n": {"a": [1.0] * 9}, "x": {"a": [2.0] * 9}, "y": {"a": [8.0] * 9}}
    (found,) = contest(raw).contrasts([(["x", "y"], ["n", "x"])], [("with", "without")])
    assert (found.method, found.other) == ("with", "without")
    assert found.ratio.value == pytest.approx(4.0 / 2**0.5)
    assert found.p == pytest.approx(2 / 2**9 / spending([8, 9])[-1], rel=0.06)


def test_curves_by_hand() -> None:
    known = contest({"best-of-n": {"a": [1.0, 1.0]}, "mine": {"a": [4.0, 1.0]}})
    flat, rising = known.curves()
    assert set(flat.value) == {1.0}
    assert rising.x == tuple(range(11))
    assert rising.value == pytest.approx([1.0] * 5 + [2.0] * 6)
    assert rising.low == pytest.approx([1.0] * 11)
    assert rising.high == pytest.approx([1.0] * 5 + [4.0] * 6)
    dollars = known.curves("dollars")[1]
    assert dollars.x[-1] == pytest.approx(0.1)
    assert dict(zip(dollars.x, dollars.value, strict=True))[dollars.x[-1]] == pytest.approx(2.0)
    assert dollars.value[90] == 1.0


def test_the_documents_hold_what_the_figures_say() -> None:
    known = contest({"best-of-n": {"a": [1.0, 2.0]}, "mine": {"a": [3.0, 4.0]}})
    told = json.loads(json.dumps(document(known)))
    assert told["methods"] == ["best-of-n", "mine"]
    assert told["standings"][1]["fast_p"]["1.5"]["value"] == 1.0
    assert told["differences"][0]["verdict"] == "not told apart"  # 2 pairs allow no more
    assert sorted(told["curves"]) == ["dollars", "evaluations", "seconds", "tokens"]
    rows = list(csv.DictReader(io.StringIO(table(known))))
    assert [float(row["speedup"]) for row in rows] == [1.0, 2.0, 3.0, 4.0]
    assert known.rows()[0].keys() == rows[0].keys()
