from dataclasses import replace
from io import StringIO
from math import sqrt
from xml.etree import ElementTree as ET

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


MANY = replace(
    BASIC,
    benchmarks={f"parse|{number}`": Interval(2.0, 1.9, 2.1) for number in range(30)},
    slower=("parse|3`",),
    ignored=("CHANGELOG.md", "2 test files"),
    notes=("short", "other"),
    gaps=("one", "two", "three"),
    checked="2 tests",
    machine="a machine",
    repeat="maxcode verify main..quick",
)


def test_a_comment_is_short_and_says_all() -> None:
    text = MANY.outcome().markdown()
    assert text.count("\n") <= 25
    assert text.startswith("### sum: slower\n\n    2.00x (slower), 95% interval 1.90x to 2.10x")
    assert "| `parse\\|0'` | 2.00x | 1.90x to 2.10x |" in text
    for said in (
        "22 more",
        "ignored: `CHANGELOG.md, 2 test files`",
        "checked: `2 te",
    ):
        assert said in text
    assert text.endswith("- machine: `a machine`\n- repeat: `maxcode verify main..quick`\n")
    long = "PASSED tests/a.py::b\n" * 50 + "\n".join(f"line {n}" for n in range(60))
    broken = replace(MANY, speedup=None, benchmarks={}, status=Status.WRONG_ANSWER, problem=long)
    assert broken.outcome().markdown().count("\n") <= 25
    assert "line 59" in broken.outcome().markdown()
    assert "PASSED" not in printed(broken)


def test_junit_has_a_failure_for_the_whole_and_for_a_slower_benchmark() -> None:
    suite = ET.fromstring(MANY.outcome().junit())  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures")) == ("31", "2")
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["faster", "parse|3`"]
    passed = ET.fromstring(BASIC.outcome().junit())  # noqa: S314
    assert passed.get("failures") == "0"
    odd = replace(BASIC, speedup=None, problem="\x1b[31m\x00 <>")
    assert ET.fromstring(odd.outcome().junit()).get("failures") == "1"  # noqa: S314
