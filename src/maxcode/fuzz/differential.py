"""Whether a candidate agrees with the original on further inputs, and where it does not.

The original decides which inputs count and what is right. Neither is known here as a program: both
are functions over batches of inputs, so that many can share one sandbox.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BATCH = 50  # inputs drawn at a time
_AT_A_TIME = 16  # inputs validated together, so that a small pool is not waited for in vain
_BARREN_BATCHES = 8  # batches in a row without one new valid input, after which no more are drawn
_MANY_REJECTED = 0.15  # of a batch: the next stays nearer to the examples


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the original does with an input: ``ok`` says whether the input counts.

    ``output`` is then the expected output; otherwise ``reason`` says why the input is rejected. One
    that was not ``tried``, for want of time, is neither: it may be asked for again.
    """

    ok: bool
    output: bytes = b""
    reason: str = ""
    tried: bool = True


Original = Callable[[Sequence[bytes]], Sequence[Outcome]]
"""Validates inputs: one outcome for each."""

Candidate = Callable[[Sequence[bytes], Sequence[bytes]], Sequence[str]]
"""Checks inputs with their expected outputs: for each '' or what is wrong.

It may end after the first problem; inputs after that count as not tried.
"""

Strategies = Callable[[float], "SearchStrategy[bytes]"]
"""A strategy for a scale, as :meth:`InputModel.strategy` makes it."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An input that the original accepts and on which the candidate is wrong.

    ``problem`` is the candidate's, on this input. ``found`` is the input before it was shrunk.
    """

    input: bytes
    expected: bytes
    problem: str
    found: bytes


@dataclass(frozen=True, slots=True)
class Differential:
    """The result of comparing a candidate with the original.

    ``agreed`` counts validated inputs on which both agree, ``rejected`` the inputs that the
    original did not accept while the pool was filled, ``seconds`` is wall time, and ``timed_out``
    says that the time was over before all inputs were tried.
    """

    agreed: int
    rejected: int
    seconds: float
    timed_out: bool = False
    counterexample: Disagreement | None = None


@dataclass(frozen=True, slots=True)
class Shrinking:
    """How much a counterexample may cost to shrink: runs of smaller inputs, and seconds."""

    runs: int = 400
    seconds: float = 5.0


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where an input was drawn, to draw it again."""

    number: int
    scale: float


@dataclass(slots=True)
class _Pool:
    """Validated inputs, in the order in which they are tried."""

    inputs: list[bytes] = field(default_factory=list)
    expected: list[bytes] = field(default_factory=list)
    origins: list[_Origin | None] = field(default_factory=list)

    def add(self, data: bytes, expected: bytes, origin: _Origin | None) -> None:
        self.inputs.append(data)
        self.expected.append(expected)
        self.origins.append(origin)


class ValidatedInputs:
    """Inputs that the original accepts, with its outputs; filled once, used for every candidate.

    ``strategies`` draws inputs for a scale; while the original rejects many, the scale falls.
    ``first`` are inputs to try before all others, such as earlier counterexamples. The same
    ``seed`` draws the same inputs unless time runs out. ``clock`` is in seconds.
    """

    def __init__(
        self,
        original: Original,
        strategies: Strategies,
        *,
        seed: int = 0,
        first: Sequence[bytes] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._original = original
        self._strategies = strategies
        self._seed = seed
        self._clock = clock
        self._known = _Pool()
        self._drawn = _Pool()
        self._seen: set[bytes] = set()
        self._waiting: deque[tuple[bytes, _Origin]] = deque()  # drawn, not validated
        self._batches = 0
        self._drawn_of_batch = self._accepted_of_batch = 0
        self._barren = 0
        self._scale = 1.0
        self.rejected = 0
        self.reasons: dict[str, int] = {}
        for data in first:
            self.remember(data)

    def __len__(self) -> int:
        return len(self._known.inputs) + len(self._drawn.inputs)

    @property
    def inputs(self) -> list[bytes]:
        """The inputs, known counterexamples first."""
        return self._known.inputs + self._drawn.inputs

    @property
    def expected(self) -> list[bytes]:
        """The original's output on each of ``inputs``."""
        return self._known.expected + self._drawn.expected

    @property
    def exhausted(self) -> bool:
        """Whether drawing goes on to bring nothing new that the original accepts."""
        return self._barren >= _BARREN_BATCHES

    def remember(self, data: bytes) -> bool:
        """Have every later candidate tried on this input first; whether the original accepts it."""
        if data in self._known.inputs:
            return True
        [outcome] = self._original([data])
        if outcome.ok:
            self._known.add(data, outcome.output, None)
            self._seen.add(data)
        return outcome.ok

    def fill(self, count: int, seconds: float) -> bool:
        """Draw until there are ``count`` inputs; False if time runs out or nothing new is drawn."""
        end = self._clock() + seconds
        while len(self) < count:
            if self._clock() >= end or self.exhausted:
                return False
            if not self._waiting:
                self._draw()
            elif not self._validate():
                return False
        return True

    def check(
        self,
        candidate: Candidate,
        *,
        count: int = 500,
        seconds: float = 10.0,
        shrinking: Shrinking = Shrinking(),
    ) -> Differential:
        """Compare a candidate on ``count`` inputs, drawn and validated where they are missing.

        ``seconds`` is for the comparison; shrinking what it finds has a time of its own.
        """
        began = self._clock()
        agreed = 0
        while agreed < count:
            left = seconds - (self._clock() - began)
            if left <= 0:
                return self._result(agreed, began, timed_out=True)
            if len(self) <= agreed:
                self.fill(min(count, agreed + _BATCH), left)
            batch = slice(agreed, min(count, agreed + _BATCH))
            inputs, expected = self.inputs[batch], self.expected[batch]
            if not inputs:
                return self._result(agreed, began, timed_out=not self.exhausted)
            problems = candidate(inputs, expected)
            for problem in problems:
                if problem:
                    smaller = self._shrunk(candidate, agreed, problem, shrinking)
                    return self._result(agreed, began, counterexample=smaller)
                agreed += 1
            if len(problems) != len(inputs):
                raise ValueError(f"checked {len(problems)} of {len(inputs)} inputs, found nothing")
        return self._result(agreed, began)

    def _result(
        self,
        agreed: int,
        began: float,
        *,
        timed_out: bool = False,
        counterexample: Disagreement | None = None,
    ) -> Differential:
        seconds = self._clock() - began
        return Differential(agreed, self.rejected, seconds, timed_out, counterexample)

    def _draw(self) -> None:
        """One batch of new inputs, which then wait."""
        from maxcode.fuzz.explore import explore  # noqa: PLC0415 - Hypothesis takes long to import

        origin = _Origin(self._seed * 1_000_003 + self._batches, self._scale)
        self._batches += 1
        drawn: dict[bytes, None] = {}

        def visit(data: bytes) -> bool:
            if data not in self._seen:
                drawn[data] = None
            return False

        explore(self._strategies(origin.scale), origin.number, _BATCH, visit)
        self._seen.update(drawn)
        self._waiting.extend((data, origin) for data in drawn)
        self._drawn_of_batch, self._accepted_of_batch = len(drawn), 0
        if not drawn:
            self._barren += 1

    def _validate(self) -> bool:
        """Keep what the original accepts of some that wait; whether there was time for any."""
        some = list(self._waiting)[:_AT_A_TIME]
        outcomes = self._original([data for data, _ in some])
        for number, ((data, origin), outcome) in enumerate(zip(some, outcomes, strict=True)):
            if not outcome.tried:
                return number > 0
            self._waiting.popleft()
            if outcome.ok:
                self._accepted_of_batch += 1
                self._drawn.add(data, outcome.output, origin)
            else:
                self.rejected += 1
                self.reasons[outcome.reason] = self.reasons.get(outcome.reason, 0) + 1
        if not self._waiting:
            accepted = self._accepted_of_batch
            self._barren = 0 if accepted else self._barren + 1
            if 1 - accepted / self._drawn_of_batch > _MANY_REJECTED:
                self._scale /= 2
        return True

    def _shrunk(
        self, candidate: Candidate, number: int, problem: str, shrinking: Shrinking
    ) -> Disagreement:
        """The smallest input found on which the candidate is wrong too."""
        known = len(self._known.inputs)
        found, expected = self.inputs[number], self.expected[number]
        best = Disagreement(found, expected, problem, found)
        origin = self._drawn.origins[number - known] if number >= known else None
        if origin is None:
            return best
        from maxcode.fuzz.explore import explore  # noqa: PLC0415 - Hypothesis takes long to import

        outputs = dict(zip(self.inputs, self.expected, strict=True))
        rejected = self._seen - outputs.keys() - {data for data, _ in self._waiting}
        verdicts = dict.fromkeys(rejected, False)
        verdicts |= dict.fromkeys(self.inputs[:number], False) | {found: True}
        runs, end = shrinking.runs, self._clock() + shrinking.seconds

        def visit(data: bytes) -> bool | None:
            nonlocal best, runs
            if data not in verdicts:
                if runs <= 0 or self._clock() >= end:
                    return None
                runs -= 1
                said = ""
                if data not in outputs:
                    [outcome] = self._original([data])
                    if outcome.ok:
                        outputs[data] = outcome.output
                if data in outputs:
                    [said] = candidate([data], [outputs[data]])
                if said and _size(data) < _size(best.input):
                    best = Disagreement(data, outputs[data], said, found)
                verdicts[data] = bool(said)
            return verdicts[data]

        explore(self._strategies(origin.scale), origin.number, _BATCH, visit, shrink=True)
        return best


def _size(data: bytes) -> tuple[int, bytes]:
    return len(data), data
