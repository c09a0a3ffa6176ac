import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

import pytest

from maxcode.evaluation import Interval
from maxcode.measure.rounds import CONFIRM, Plan, interleave
from maxcode.measure.statistics import bounded

PATIENT = Plan(least=6, most=10, precision=0.03, level=0.95, seconds=math.inf)


@dataclass
class Machine:
    """Runs two programs with noise drawn from a seed, and notes which ran when."""

    first: float = 1.0
    second: float = 1.0
    noise: float = 0.0
    seed: int = 0
    ran: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._noise = {name: Random(f"{self.seed}{name}") for name in ("first", "second")}

    def program(self, name: str) -> Callable[[], float]:
        def run() -> float:
            self.ran.append(name)
            time: float = getattr(self, name)
            return time * math.exp(self._noise[name].gauss(0, self.noise))

        return run

    def measure(
        self,
        plan: Plan = PATIENT,
        *,
        repeatable: float = 0.0,
        floor: float = 1.0,
    ) -> tuple[list[float], list[float], Interval]:
        sides = self.program("first"), self.program("second")
        return interleave(*sides, float, plan, Random(0), repeatable=repeatable, floor=floor)


def rounds(
    machine: Machine, plan: Plan = PATIENT, *, repeatable: float = 0.0, floor: float = 1.0
) -> int:
    return len(machine.measure(plan, repeatable=repeatable, floor=floor)[0])


# -- what is measured --------------------------------------------------------------------------


def test_the_ratio_is_the_seconds_over_the_firsts() -> None:
    ours, theirs, found = Machine(first=2, second=6).measure()
    assert (set(ours), set(theirs)) == ({2.0}, {6.0})
    assert found.value == pytest.approx(3)


def test_a_round_takes_one_of_each_in_random_order() -> None:
    machine = Machine(noise=0.5)
    machine.measure(Plan(least=40, most=40, seconds=math.inf))
    pairs = list(zip(machine.ran[::2], machine.ran[1::2], strict=True))
    assert {frozenset(pair) for pair in pairs} == {frozenset({"first", "second"})}
    assert 5 < sum(pair[0] == "first" for pair in pairs) < 35


# -- when it stops -----------------------------------------------------------------------------


def test_it_stops_once_the_interval_is_narrow() -> None:
    plan = Plan(least=6, most=1000, precision=0.03, seconds=math.inf)
    used = rounds(Machine(noise=0.03), plan)
    assert 6 < used < 200
    _, _, found = Machine(noise=0.03).measure(plan)
    assert found.high / found.value <= 1.03 + 1e-12
    assert found.value / found.low <= 1.03 + 1e-12
    assert used < rounds(Machine(noise=0.06), plan)


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
        assert rounds(Machine(noise=noise), Plan(least=least, most=most, seconds=math.inf)) in looks


def test_it_stops_when_time_is_up_but_not_before_the_least() -> None:
    assert rounds(Machine(noise=0.5), Plan(least=6, most=10, seconds=-1)) == 6
    assert rounds(Machine(noise=0.5), replace(CONFIRM, seconds=-1, promising=0)) == CONFIRM.least


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
    assert rounds(Machine(first=2.3, second=1), plan) == 2
    assert rounds(Machine(first=2, second=1), plan) == 3
    assert rounds(Machine(first=1.05, second=1), plan) == rounds(Machine(second=2), plan) == 6
    assert rounds(Machine(first=2.3, second=1), plan, floor=0.9) == 3
    assert rounds(Machine(first=9, second=1), replace(plan, hopeless=0)) == 6


def winning(share: float, floor: float = 1.0) -> int:
    """Rounds of a confirmation of which the first program wins that share, by 5 %."""
    due = [0.0]

    def first() -> float:
        due[0] += share
        won = due[0] >= 1
        due[0] -= won
        return (0.95 if won else 1.05) / floor

    ours, _, _ = interleave(first, lambda: 1.0, float, CONFIRM, Random(0), floor=floor)
    return len(ours)


def test_a_confirmation_is_given_up_without_a_clear_majority() -> None:
    for floor in (1.0, 3.0):
        assert winning(0.0, floor) == winning(0.5, floor) == CONFIRM.fewest
        assert CONFIRM.least < winning(0.7, floor) <= CONFIRM.most
        assert winning(1.0, floor) == CONFIRM.least


# -- a meter that repeats itself ---------------------------------------------------------------


def test_two_rounds_are_enough_where_readings_repeat() -> None:
    noisy = Machine(first=1, second=1.2, noise=0.02)
    assert rounds(noisy, CONFIRM, repeatable=0.001) >= CONFIRM.least
    ours, theirs, found = Machine(first=1, second=3).measure(CONFIRM, repeatable=0.001)
    assert (ours, theirs) == ([1.0] * 2, [3.0] * 2)
    assert found == bounded([3.0] * 2, [1.0] * 2, 0.001, CONFIRM.level)
