from math import inf, nan

import pytest

from maxcode.evaluation import Baseline, Evaluation, Interval, Measurement, Status

_TWICE = Interval(2.0, 1.9, 2.1)


# -- intervals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [(1.0, 1.1, 1.2), (1.3, 1.1, 1.2), (0.0, -0.1, 0.1), (1.0, 0.9, inf), (nan, 0.9, 1.1)],
)
def test_an_interval_is_finite_and_holds_its_value(value: float, low: float, high: float) -> None:
    with pytest.raises(ValueError, match="not an interval"):
        Interval(value, low, high)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 95.0, nan])
def test_a_confidence_level_is_a_chance(level: float) -> None:
    with pytest.raises(ValueError, match="confidence level"):
        Interval(1.0, 0.9, 1.1, level)


# -- measurements ------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [(), (1.0, nan), (inf,), (1.0, -0.1)])
def test_samples_are_finite_and_not_negative(samples: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="wall: samples"):
        Measurement("wall", "s", samples)


@pytest.mark.parametrize(
    ("floor", "speedup", "own"),
    [
        (0.1, 2.0, 0.9 / 0.4),
        (0.1, 0.5, 0.9 / 1.9),
        (0.02, 2.0, None),  # the start is little
        (0.02, 5.0, 0.98 / 0.18),  # of the faster program it is a tenth
        (None, 2.0, None),
        (0.1, 9.6, None),  # little but the start is left
        (0.1, 11.0, None),
        (0.1, 0.0, None),
    ],
)
def test_a_speedup_without_the_start(
    floor: float | None, speedup: float, own: float | None
) -> None:
    baseline = Baseline((Measurement("cpu", "s", (1.0,)),), floor=floor)
    assert baseline.without_start(speedup) == (own and pytest.approx(own))
    memory = Baseline((Measurement("peak_memory", "B", (1.0,)),), floor=floor)
    assert memory.without_start(speedup) is None


# -- verdicts ----------------------------------------------------------------------------------


def test_ok_comes_with_a_speedup_which_is_the_reward() -> None:
    evaluation = Evaluation(Status.OK, _TWICE)
    assert evaluation.ok
    assert evaluation.reward == 2.0
    with pytest.raises(ValueError, match="speedup"):
        Evaluation(Status.OK)
    with pytest.raises(ValueError, match="speedup"):
        Evaluation(Status.TIMEOUT, _TWICE)
    assert Evaluation(Status.TIMEOUT).reward == 0.0
