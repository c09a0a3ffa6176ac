import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from random import Random
from statistics import median

import pytest

from maxcode.evaluation import Interval
from maxcode.measure.rounds import CONFIRM, Plan, interleave, within
from maxcode.measure.statistics import bounded

PATIENT = Plan(least=6, most=10, precision=0.03, level=0.95, seconds=math.inf)


def measured(
    plan: Plan = PATIENT,
    first: float = 1.0,
    second: float = 1.0,
    noise: float = 0.0,
    *,
    repeatable: float = 0.0,
    floor: float = 1.0,
) -> tuple[list[float], list[float], Interval]:
    """Rounds of two programs that take so long, with noise of their own."""

    def program(name: str, seconds: float) -> Callable[[], float]:
        rng = Random(name)
        return lambda: seconds * math.exp(rng.gauss(0, noise))

    sides = program("0first", first), program("0second", second)
    return interleave(*sides, float, replace(plan, floor=floor), Random(0), repeatable=repeatable)


def rounds(plan: Plan, *times: float, **more: float) -> int:
    return len(measured(plan, *times, **more)[0])


# -- what is measured --------------------------------------------------------------------------


def test_the_ratio_is_the_seconds_over_the_firsts() -> None:
    ours, theirs, found = measured(first=2, second=6)
    assert (set(ours), set(theirs)) == ({2.0}, {6.0})
    assert found.value == pytest.approx(3)


def test_a_round_takes_one_of_each_in_random_order() -> None:
    ran: list[str] = []

    def run(name: str) -> str:
        ran.append(name)
        return name

    plan = Plan(least=40, most=40, seconds=math.inf)
    interleave(lambda: run("first"), lambda: run("second"), lambda _: 1.0, plan, Random(0))
    pairs = list(zip(ran[::2], ran[1::2], strict=True))
    assert {frozenset(pair) for pair in pairs} == {frozenset({"first", "second"})}
    assert 5 < sum(pair[0] == "first" for pair in pairs) < 35


# -- when it stops -----------------------------------------------------------------------------


def test_it_stops_once_the_interval_is_narrow() -> None:
    plan = Plan(least=6, most=1000, precision=0.03, seconds=math.inf)
    used = rounds(plan, noise=0.03)
    assert 6 < used < 200
    _, _, found = measured(plan, noise=0.03)
    assert found.high / found.value <= 1.03 + 1e-12
    assert found.value / found.low <= 1.03 + 1e-12
    assert used < rounds(plan, noise=0.06)


@pytest.mark.parametrize(
    ("least", "most", "looks"),
    [
        (3, 8, (3, 5, 8)),
        (16, 36, (16, 24, 36)),
        (6, 10, (6, 9, 10)),
        (2, 2, (2,)),
    ],
)
def test_looks_are_few_and_known_beforehand(least: int, most: int, looks: tuple[int, ...]) -> None:
    assert Plan(least=least, most=most).looks == looks
    for noise in (0.0, 0.02, 0.05, 0.1):
        assert rounds(Plan(least=least, most=most, seconds=math.inf), noise=noise) in looks


def test_it_stops_when_time_is_up_but_not_before_the_least() -> None:
    assert rounds(Plan(least=6, most=10, seconds=-1), noise=0.5) == 6
    assert rounds(replace(CONFIRM, seconds=-1, curtail=None), noise=0.5) == CONFIRM.least


@pytest.mark.parametrize(("least", "most"), [(1, 1), (0, 5), (6, 5)])
def test_a_plan_that_makes_no_sense_is_refused(least: int, most: int) -> None:
    with pytest.raises(ValueError, match=f"2 <= least <= most, not {least} and {most}"):
        Plan(least=least, most=most)


@pytest.mark.parametrize("seed", range(5))
def test_stopping_does_not_depend_on_who_wins(seed: int) -> None:
    rng = Random(seed)
    a = [math.exp(rng.gauss(0, 0.03)) for _ in range(100)]
    b = [1.2 * math.exp(rng.gauss(0, 0.03)) for _ in range(100)]
    plan = Plan(least=6, most=100, seconds=math.inf)

    def measured(first: list[float], second: list[float]) -> tuple[int, Interval]:
        one, other = iter(first), iter(second)
        ours, _, found = interleave(
            lambda: next(one), lambda: next(other), float, plan, Random(seed)
        )
        return len(ours), found

    (used, found), (used_swapped, swapped) = measured(a, b), measured(b, a)
    assert used == used_swapped
    assert swapped.value == pytest.approx(1 / found.value)


# -- giving up ---------------------------------------------------------------------------------


def test_two_rounds_are_enough_to_see_that_it_is_twice_as_slow() -> None:
    plan = Plan(least=6, most=6, hopeless=0.9, seconds=math.inf)
    assert rounds(plan, 2.3) == 2
    assert rounds(plan, 2) == 3
    assert rounds(plan, 1.05) == rounds(plan, 1, 2) == 6
    assert rounds(plan, 2.3, floor=0.9) == 3
    assert rounds(replace(plan, hopeless=0), 9) == 6


def winning(share: float, floor: float = 1.0) -> int:
    """Rounds of a confirmation of which the first program wins that share, by 5 %."""
    due = [0.0]

    def first() -> float:
        due[0] += share
        won = due[0] >= 1
        due[0] -= won
        return (0.95 if won else 1.05) / floor

    ours, _, _ = interleave(first, lambda: 1.0, float, replace(CONFIRM, floor=floor), Random(0))
    return len(ours)


def test_a_confirmation_is_given_up_unless_the_first_wins_most_rounds() -> None:
    for floor in (1.0, 3.0):
        assert winning(0.0, floor) == winning(0.5, floor) == CONFIRM.fewest
        assert CONFIRM.least < winning(0.7, floor) <= CONFIRM.most
        assert winning(1.0, floor) == CONFIRM.least


def typical(plan: Plan, gain: float, noise: float) -> float:
    """Median number of rounds, over many pairs of programs."""

    def used(seed: int) -> int:
        rng = Random(seed)
        sides = (
            (lambda: math.exp(rng.gauss(0, noise))),
            (lambda: gain * math.exp(rng.gauss(0, noise))),
        )
        return len(interleave(*sides, float, plan, rng)[0])

    return median(map(used, range(40)))


def test_rounds_end_where_those_to_come_would_hardly_decide() -> None:
    patient = replace(CONFIRM, seconds=math.inf)
    assert typical(patient, 1.0, 0.05) <= patient.least
    assert typical(patient, 1.05, 0.05) > 2 * patient.least
    to_one_percent = within(patient, margin=0.01)
    assert typical(to_one_percent, 1.0, 0.05) < patient.most / 2  # it takes ten times all
    assert typical(to_one_percent, 1.0, 0.01) > 2 * patient.least


def test_a_loser_is_given_up_however_long_a_round_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = itertools.count(step=3600)
    monkeypatch.setattr("maxcode.measure.rounds.monotonic", lambda: float(next(hours)))
    assert typical(CONFIRM, 0.8, 0.05) == CONFIRM.fewest
    assert typical(CONFIRM, 1.2, 0.05) == CONFIRM.least


def test_rounds_to_come_are_those_that_there_is_time_for(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count()  # a second for each round
    monkeypatch.setattr("maxcode.measure.rounds.monotonic", lambda: float(next(seconds)))
    assert typical(replace(CONFIRM, seconds=100), 1.05, 0.05) > 2 * CONFIRM.least
    assert typical(replace(CONFIRM, seconds=20), 1.05, 0.05) <= CONFIRM.least


# -- a meter that repeats itself ---------------------------------------------------------------


def test_two_rounds_are_enough_where_readings_repeat() -> None:
    assert rounds(CONFIRM, 1, 1.2, noise=0.02, repeatable=0.001) >= CONFIRM.least
    ours, theirs, found = measured(CONFIRM, second=3, repeatable=0.001)
    assert (ours, theirs) == ([1.0] * 2, [3.0] * 2)
    assert found == bounded([3.0] * 2, [1.0] * 2, 0.001, CONFIRM.level)
