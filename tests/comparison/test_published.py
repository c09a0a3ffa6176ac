"""Tables of published work by hand: what is counted, over which runs."""

from dataclasses import replace

import pytest
from tests.comparison._contests import contest

from maxcode.comparison.contest import Contest, Failure
from maxcode.comparison.published import (
    PublishedTable,
    fast_p,
    kernelbench_table,
    maxcode_table,
    pie_table,
)
from maxcode.measure.statistics import Estimate

Scores = dict[tuple[str, str, int], tuple[float, ...]]


def scored(raw: dict[str, dict[str, list[float]]], scores: Scores) -> Contest:
    """Of confirmed speedups, and of the scores of candidates by method, task and seed."""
    known = contest(raw)
    outcomes = [
        replace(one, scores=scores[one.method, one.task, one.seed]) for one in known.outcomes
    ]
    return replace(known, outcomes=tuple(outcomes))


def plain(table: PublishedTable) -> dict[tuple[str, str], list[float]]:
    """The values of a table by method and by how they were counted."""
    return {
        (row.method, row.counted): [
            one.value if isinstance(one, Estimate) else one for one in row.figures
        ]
        for row in table.rows
    }


@pytest.fixture
def known() -> Contest:
    """On task a both are faster, on b only the control, and what was scored is above the truth."""
    return scored(
        {
            "best-of-n": {"a": [2.0, 2.0], "b": [1.2, 0.0], "c": [1.0, 1.0]},
            "mine": {"a": [4.0, 4.0], "b": [0.7, 1.0], "c": [3.0, 1.0]},
        },
        {
            ("best-of-n", "a", 0): (0.0, 1.05, 2.5),
            ("best-of-n", "a", 1): (2.5,),
            ("best-of-n", "b", 0): (1.3, 0.9),
            ("best-of-n", "b", 1): (0.0, 0.0),
            ("best-of-n", "c", 0): (1.0,),
            ("best-of-n", "c", 1): (1.0,),
            ("mine", "a", 0): (4.4,),
            ("mine", "a", 1): (4.4,),
            ("mine", "b", 0): (0.7,),
            ("mine", "b", 1): (1.0,),
            ("mine", "c", 0): (0.0, 3.3),
            ("mine", "c", 1): (1.0,),
        },
    )


def test_the_median_is_over_tasks_for_each_seed_and_the_rank_over_all(known: Contest) -> None:
    found = plain(maxcode_table(known))
    # seed 0: 2.5, 1.3, 1.0; seed 1: 2.5, 1.0 (nothing right), 1.0
    assert found["best-of-n", "scored"] == pytest.approx([1.15, (2 + 2 + 1 + 1.5 + 2 + 1.5) / 6])
    assert found["mine", "scored"][0] == pytest.approx((3.3 + 1.0) / 2)
    standings = {one.method: one for one in known.standings()}
    for name in known.methods:
        confirmed = [standings[name].median.value, standings[name].rank.value]
        assert found[name, "confirmed"] == confirmed


def test_ranks_leave_out_pairs_that_a_method_has_not_ended(known: Contest) -> None:
    less = replace(known, outcomes=known.outcomes[:-1])
    assert plain(maxcode_table(less))["mine", "scored"][0] == pytest.approx(
        (3.3 + (4.4 + 1.0) / 2) / 2
    )


def test_fast_p_counts_what_is_above_p_and_a_failed_run_as_wrong(known: Contest) -> None:
    assert fast_p([0.0, 0.5, 1.0, 1.01, 9.0]) == (0.8, 0.6, 0.6, 0.4, 0.2, 0.2)
    found = plain(kernelbench_table(known))
    assert found["mine", "scored"] == pytest.approx([1, 1, 5 / 6, 0.5, 0.5, 0.5])
    assert found["mine", "confirmed"] == pytest.approx([1, 1, 5 / 6, 0.5, 0.5, 0.5])
    assert found["best-of-n", "scored"] == pytest.approx([5 / 6, 5 / 6, 5 / 6, 0.5, 2 / 6, 2 / 6])
    further = replace(known.outcomes[0], task="d")
    failure = Failure("mine", "d", 0, "no", ValueError())
    failed = replace(known, outcomes=(*known.outcomes, further), failures=(failure,))
    assert plain(kernelbench_table(failed))["mine", "scored"][0] == pytest.approx(6 / 7)
    assert plain(pie_table(failed))["mine", "best@1"][2] == pytest.approx(5 / 7)


def test_what_was_scored_is_over_the_same_pairs_for_all(known: Contest) -> None:
    less = replace(known, outcomes=known.outcomes[:-1])  # the last run of "mine" is missing
    table = kernelbench_table(less)
    assert table.runs == 5
    assert plain(table)["best-of-n", "scored"][0] == pytest.approx(4 / 5)
    assert plain(pie_table(less))["best-of-n", "best@1"][2] == pytest.approx(3 / 5)


def test_a_method_that_only_failed_has_no_row_and_takes_nothing_from_the_others(
    known: Contest,
) -> None:
    failures = tuple(
        Failure("down", one.task, one.seed, "no", ValueError()) for one in known.outcomes[:6]
    )
    more = replace(known, methods=(*known.methods, "down"), failures=failures)
    for make in (maxcode_table, kernelbench_table, pie_table):
        assert make(more).rows == make(known).rows


def test_the_first_candidate_alone_is_a_sample(known: Contest) -> None:
    found = plain(kernelbench_table(known))
    assert found["best-of-n", "first"] == pytest.approx([4 / 6, 4 / 6, 4 / 6, 2 / 6, 1 / 6, 1 / 6])


def test_best_at_k_of_the_first_candidates(known: Contest) -> None:
    found = plain(pie_table(known))
    assert [counted for name, counted in found if name == "best-of-n"] == [
        "best@1", "best@2", "best@3", "confirmed",
    ]  # fmt: skip
    # %Opt, mean speedup with 1 for what is wrong or slower, %Correct
    first = [2 / 6, (1 + 2.5 + 1.3 + 1 + 1 + 1) / 6, 4 / 6]
    assert found["best-of-n", "best@1"] == pytest.approx(first)
    assert found["best-of-n", "best@2"][2] == pytest.approx(5 / 6)
    assert found["best-of-n", "best@3"] == pytest.approx([0.5, (2.5 + 2.5 + 1.3 + 3) / 6, 5 / 6])
    assert found["best-of-n", "confirmed"] == pytest.approx([0.5, (2 + 2 + 1.2 + 3) / 6, 5 / 6])


def test_a_part_of_the_tasks(known: Contest) -> None:
    table = maxcode_table(known.only({"a"}), "level 1")
    assert table.title == "MaxCode: level 1"
    assert plain(table)["mine", "scored"] == [4.4, 1.0]
    assert maxcode_table(known.only(())).rows == ()
