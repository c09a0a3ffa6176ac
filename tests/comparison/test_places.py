"""Places of methods: equal programs share one, and so do those that measuring cannot tell apart."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.comparison._contests import outcome

from maxcode.comparison.contest import Contest
from maxcode.comparison.outcome import Outcome

METHODS = ("best-of-n", "mine")


def measured(method: str, seed: int, speedup: float, program: str, within: float = 0.0) -> Outcome:
    run = outcome(method, "a", seed, speedup)
    low, high = speedup / (1 + within), speedup * (1 + within)
    return replace(run, program=program, low=low, high=high)


def contest(*runs: Outcome, methods: Sequence[str] = METHODS) -> Contest:
    return Contest(tuple(methods), methods[0], runs, planned=len(runs))


def ranks(known: Contest) -> list[float]:
    return [standing.rank.value for standing in known.standings()]


def test_equal_programs_share_their_place_whatever_was_measured() -> None:
    runs = [
        measured(method, seed, speedup, f"program {seed}")
        for seed in range(4)
        for method, speedup in zip(METHODS, (2.0, 2.2), strict=True)
    ]
    known = contest(*runs)
    assert ranks(known) == [1.5, 1.5]
    for standing in known.standings():
        assert (standing.rank.low, standing.rank.high) == (1.5, 1.5)
    (difference,) = known.differences()
    assert (difference.ratio.value, difference.verdict) == (1.0, "not told apart")
    assert {run.speedup for run in known.outcomes} == {2.0, 2.2}  # runs stay as they were measured


@pytest.mark.parametrize(("within", "expected"), [(0.04, [2.0, 1.0]), (0.2, [1.5, 1.5])])
def test_a_place_is_shared_where_intervals_leave_the_order_open(
    within: float, expected: list[float]
) -> None:
    known = contest(
        measured("best-of-n", 0, 2.0, "one", within), measured("mine", 0, 2.2, "other", within)
    )
    assert ranks(known) == expected


def test_who_kept_the_baseline_was_measured_without_noise() -> None:
    known = contest(
        measured("best-of-n", 0, 0.9, "slow", 0.3),
        measured("mine", 0, 1.3, "fast", 0.1),
        measured("other", 0, 0.0, "wrong"),
        methods=(*METHODS, "other"),
    )
    assert ranks(known) == [2.5, 1.0, 2.5]


def test_a_comparison_says_what_it_would_have_missed() -> None:
    gains = (1.1, 0.95, 1.2, 0.9, 1.05, 1.0, 1.1, 0.95)
    runs = [measured("best-of-n", seed, 2.0, "a") for seed in range(8)]
    runs += [measured("mine", seed, 2.0 * gain, "b") for seed, gain in enumerate(gains)]
    (difference,) = contest(*runs).differences()
    assert difference.verdict == "not told apart"
    assert difference.detectable == pytest.approx(1.135, abs=0.001)
    assert "would often be missed" in str(difference)
    (few,) = contest(*runs[:3], *runs[8:11]).differences()
    assert few.detectable is None  # three pairs decide nothing
    assert "no difference could be found" in str(few)


def test_all_pairs_are_corrected_together() -> None:
    methods = ("best-of-n", "mine", "other")
    runs = [
        measured(method, seed, speedup * (1 + seed / 100), f"{method} {seed}")
        for seed in range(8)
        for method, speedup in zip(methods, (2.0, 2.4, 3.0), strict=True)
    ]
    found = contest(*runs, methods=methods).all_pairs()
    assert [(one.method, one.other) for one in found] == [
        ("mine", "best-of-n"),
        ("other", "best-of-n"),
        ("other", "mine"),
    ]
    assert all(one.corrected == pytest.approx(3 * one.p) for one in found)
