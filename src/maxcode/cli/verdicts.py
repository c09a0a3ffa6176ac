"""Verdicts of `verify`: expectation, exit code, and the forms for people and machines."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from math import inf, log
from typing import Any

from rich.console import Console

from maxcode.cli.console import figure_table, print_gaps
from maxcode.cli.forms import Outcome, Row
from maxcode.errors import InputError
from maxcode.evaluation import Interval, Status
from maxcode.measure.rounds import Plan
from maxcode.options import MIN_GAIN
from maxcode.text import duration, factor

CODES = {"faster": 0, "no faster": 1, "slower": 3, "broken": 4, "undecided": 5}
"""Exit code of each verdict; 0 and 1 also where another expectation holds, or does not."""

LEVEL = 0.95  # of intervals
ALLOWED = 0.02  # slowdown that is none, where the task sets no `no_regression`
_SMALL = 1.03  # gains below are "no faster", once larger gains are excluded
_LONG = 3600.0  # seconds
_PASSED = re.compile(
    r"^(?:PASSED |ok \d|\s*--- PASS|.*(?:\.\.\. ok| PASSED ?.*)$).*\n?", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Expectation:
    """Speedup expected: met by an interval above ``met``, unmet by an interval below ``unmet``.

    The estimate has to be at least ``least``.
    """

    text: str
    met: float
    unmet: float
    least: float = 0.0

    @classmethod
    def of(cls, text: str, allowed: float) -> Expectation:
        """An expectation by its text. Raises :class:`InputError`."""
        if text == "faster":
            return cls(text, 1.0, _SMALL, 1 + MIN_GAIN)
        if text == "not slower":
            return cls(text, 1 - allowed, 1 - allowed)
        found = re.fullmatch(r">= ?(\d+(?:\.\d+)?)x?", text)
        if found is None or float(found[1]) <= 0:
            raise InputError(f"--expect takes faster, 'not slower' or '>=1.1', not {text!r}")
        return cls(text, float(found[1]), float(found[1]))

    def holds(self, ratio: Interval) -> bool | None:
        """Whether it holds; None where the interval cannot tell."""
        if ratio.low > self.met and ratio.value >= self.least:
            return True
        return False if ratio.high < self.unmet else None

    def plan(self, seconds: float = inf) -> Plan:
        """Plan of measuring until it is decided, for that long at most."""
        return Plan(
            least=10,
            most=1000,
            precision=0.1,
            level=LEVEL,
            seconds=seconds,
            decided=lambda ratio: self.holds(ratio) is not None,
        )

    def seconds(self, ratio: Interval, spent: float) -> float:
        """Seconds of measuring that would decide, if the estimate stays."""
        width = log(ratio.high / ratio.low) / 2 if ratio.low else 1.0
        value = log(ratio.value) if ratio.value else -1.0
        needed = max(value - log(self.met), log(self.unmet) - value)
        return spent * (width / max(needed, 1e-4)) ** 2


@dataclass(frozen=True)
class Verdict:
    """All that is known of a change: what was measured and how, and what was left out.

    ``slower`` names benchmarks slower than the task allows; ``allowed`` is that share, or the one
    for all benchmarks together. ``without_start`` is the speedup in time beyond that of an empty
    program, if this differs. ``seconds`` are those of measuring, ``repeat`` is a command.
    """

    task: str
    status: Status
    problem: str
    speedup: Interval | None
    expect: Expectation
    allowed: float = ALLOWED
    without_start: float | None = None
    benchmarks: dict[str, Interval] = field(default_factory=dict)
    slower: tuple[str, ...] = ()
    pairs: int = 0
    seconds: float = 0.0
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    checked: str = ""
    machine: str = ""
    repeat: str = ""
    isolated: bool = True

    @property
    def code(self) -> int:
        """The exit code."""
        if self.slower or (self.speedup and self.speedup.high < 1 - self.allowed):
            return CODES["slower"]
        if self.status is Status.INFRASTRUCTURE:
            return CODES["undecided"]
        if self.speedup is None or self.problem:
            return CODES["broken"]
        return {True: 0, False: 1, None: CODES["undecided"]}[self.expect.holds(self.speedup)]

    @property
    def word(self) -> str:
        """The verdict in a word or two, whatever was expected."""
        if self.code > 1 or self.speedup is None:
            return next(word for word, code in CODES.items() if code == self.code)
        return "faster" if self.speedup.faster(MIN_GAIN) else "no faster"

    @property
    def headline(self) -> str:
        """Speedup with its interval, or the reason for none, without the tests that passed."""
        if (one := self.speedup) is None:
            status = "" if self.status is Status.OK else f"{self.status.replace('_', ' ')}: "
            return status + _PASSED.sub("", self.problem).strip()
        own = f"; {factor(self.without_start)} without start-up" if self.without_start else ""
        return (
            f"{factor(one.value)} ({self.word}{own}), {100 * one.level:g}% interval "
            f"{factor(one.low)} to {factor(one.high)}, {self.pairs} pairs of fresh samples"
        )

    @property
    def hints(self) -> list[str]:
        """Remarks below the headline."""
        said = [f"slower than allowed: {', '.join(self.slower)}"] if self.slower else []
        said += [f"ignored: {', '.join(self.ignored)}"] if self.ignored else []
        if self.expect.text != "faster":
            outcome = {0: "holds", 1: "does not hold", 5: "is undecided"}.get(self.code, "fails")
            said.append(f"expected {self.expect.text}: {outcome}")
        if self.speedup and self.code == CODES["undecided"]:
            wanted = self.expect.seconds(self.speedup, self.seconds)
            more = f"about {duration(wanted)} of measuring would decide: --seconds {wanted:.0f}"
            more = more if wanted < _LONG else "an hour would not decide"
            said.append(f"cannot tell: the interval holds both outcomes; {more}")
        return [*said, *self.notes]

    def write(self, console: Console) -> None:
        """Print it: benchmarks, headline, remarks."""
        if self.benchmarks:
            table = figure_table("benchmark", "speedup", "from", "to")
            for name, one in self.benchmarks.items():
                table.add_row(name, *map(factor, (one.value, one.low, one.high)))
            console.print(table, end="\n\n")
        for line in (f"{self.task}: {self.headline}", *self.hints):
            console.print(line, soft_wrap=True)
        print_gaps(console, self.gaps)

    def document(self) -> dict[str, Any]:
        """The verdict as JSON."""
        words = {"verdict": self.word, "exit_code": self.code, "expect": self.expect.text}
        return {**asdict(self), **words, "problem": self.problem or None}

    def outcome(self) -> Outcome:
        """The verdict for a comment or a file of tests."""
        rows = [
            Row(
                name,
                (factor(one.value), f"{factor(one.low)} to {factor(one.high)}"),
                "slower" if name in self.slower else "",
            )
            for name, one in self.benchmarks.items()
        ]
        facts = [f"checked: {self.checked}", *self.hints]
        facts += [f"little is compared: {'; '.join(self.gaps)}"] if self.gaps else []
        return Outcome(
            "verify",
            self.task,
            self.word,
            self.headline,
            test=self.expect.text,
            failure=self.word if self.code else "",
            columns=("benchmark", "speedup", "interval"),
            rows=rows,
            facts=[*facts, f"machine: {self.machine}", f"repeat: {self.repeat}"],
        )
