from dataclasses import replace
from io import StringIO
from math import sqrt

import pytest
from rich.console import Console
from tests.measure.test_promises import NOISES, Noise, normal, spiky, trial

from maxcode.cli.verify import Expectation, Verdict
from maxcode.errors import InputError
from maxcode.evaluation import Interval, Status

BASIC = Verdict("sum", Status.OK, "", Interval(2.0, 1.9, 2.1), Expectation.of("faster", 0.02))


def verdict(low: float, value: float, high: float, expect: str = "faster") -> Verdict:
    return replace(BASIC, speedup=Interval(value, low, high), expect=Expectation.of(expect, 0.02))


def printed(one: Verdict) -> str:
    console = Console(width=200, file=StringIO())
    with console.capture() as captured:
        one.write(console)
    return captured.get()


@pytest.mark.parametrize(
    ("low", "value", "high", "expect", "code", "word"),
    [
        (1.9, 2.0, 2.1, "faster", 0, "faster"),
        (1.001, 1.005, 1.01, "faster", 1, "no faster"),
        (0.99, 1.0, 1.01, "faster", 1, "no faster"),
        (0.99, 1.08, 1.17, "faster", 5, "undecided"),
        (0.7, 0.8, 0.9, "faster", 3, "slower"),
        (0.97, 0.98, 0.99, "faster", 1, "no faster"),
        (0.99, 1.0, 1.01, "not slower", 0, "no faster"),
        (0.9, 1.0, 1.1, "not slower", 5, "undecided"),
        (0.8, 0.85, 0.9, "not slower", 3, "slower"),
        (1.2, 1.3, 1.4, ">=1.1", 0, "faster"),
        (1.02, 1.05, 1.08, ">=1.1", 1, "faster"),
        (1.02, 1.1, 1.2, ">= 1.1x", 5, "undecided"),
    ],
)
def test_an_interval_has_a_verdict_and_an_exit_code(
    low: float, value: float, high: float, expect: str, code: int, word: str
) -> None:
    one = verdict(low, value, high, expect)
    assert (one.code, one.word) == (code, word)
    assert ("cannot tell" in printed(one)) == (code == 5)


def test_start_up_is_taken_out_beside_the_whole() -> None:
    said = replace(BASIC, without_start=2.5)
    assert said.headline.startswith(
        "2.00x (faster; 2.50x without start-up), 95% interval 1.90x to 2.10x"
    )
    assert said.document()["without_start"] == 2.5


def test_failures_and_single_slower_benchmarks_come_first() -> None:
    failed = replace(BASIC, status=Status.BUILD_ERROR, problem="no ;", speedup=None)
    assert (failed.code, failed.word) == (4, "broken")
    assert replace(failed, status=Status.INFRASTRUCTURE).code == 5
    assert replace(BASIC, speedup=None, problem="it reads the clock").code == 4
    assert replace(BASIC, slower=("parse",)).code == 3


def test_time_that_would_decide_grows_with_the_square_of_what_is_missing() -> None:
    one = replace(verdict(0.98, 1.06, 1.15), seconds=10.0)
    narrower = replace(verdict(1.02, 1.06, 1.10), seconds=10.0)
    assert one.speedup
    assert narrower.speedup
    wide = one.expect.seconds(one.speedup, 10.0)
    assert wide > 10.0 > narrower.expect.seconds(narrower.speedup, 10.0)
    assert f"--seconds {wide:.0f}" in printed(one)
    assert "an hour would not decide" in printed(
        replace(verdict(1.0, 1.1, 1.2, ">=1.1"), seconds=60.0)
    )


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
def test_equal_programs_are_seldom_called_faster(noise: Noise) -> None:
    expect, trials = Expectation.of("faster", 0.02), 400
    plan = replace(expect.plan(), most=200)
    alarms = sum(bool(expect.holds(trial(plan, noise, seed))) for seed in range(trials))
    assert alarms / trials <= 0.025 + 3 * sqrt(0.025 * 0.975 / trials)


@pytest.mark.parametrize("noise", [normal, spiky])
def test_it_ends_when_it_is_decided(noise: Noise) -> None:
    for text, truth, outcome in (
        ("faster", 1.1, True),
        ("faster", 1.0, False),
        ("not slower", 1.0, True),
        (">=1.1", 1.2, True),
        (">=1.3", 1.2, False),
    ):
        expect = Expectation.of(text, 0.02)
        found = [expect.holds(trial(expect.plan(), noise, seed, truth)) for seed in range(20)]
        assert found.count(outcome) >= 18, text


@pytest.mark.parametrize("text", ["", "slower", ">1.1", ">=0", ">=fast"])
def test_an_unknown_expectation_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--expect takes faster, 'not slower' or"):
        Expectation.of(text, 0.02)


def test_the_outcome_has_a_failure_for_the_whole_and_for_a_slower_benchmark() -> None:
    many = replace(
        BASIC,
        benchmarks={name: Interval(2.0, 1.9, 2.1) for name in ("parse", "print")},
        slower=("parse",),
        ignored=("CHANGELOG.md", "2 test files"),
        machine="a machine",
        repeat="maxcode verify main..quick",
    )
    told = many.outcome()
    assert (told.word, told.test, told.failure) == ("slower", "faster", "slower")
    assert [(row.name, row.failure) for row in told.rows] == [("parse", "slower"), ("print", "")]
    assert "ignored: CHANGELOG.md, 2 test files" in told.facts
    assert told.facts[-2:] == ["machine: a machine", "repeat: maxcode verify main..quick"]
    long = "PASSED tests/a.py::b\n" * 50 + "\n".join(f"line {n}" for n in range(60))
    broken = replace(BASIC, speedup=None, status=Status.WRONG_ANSWER, problem=long)
    assert "line 59" in broken.outcome().markdown()
    assert "PASSED" not in printed(broken)
    assert BASIC.outcome().failure == ""
