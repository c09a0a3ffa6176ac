"""Comparison of a candidate with the original on further inputs.

The original decides which inputs count and which output is right. Both programs are functions over
batches of inputs here, so a sandbox serves many inputs.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

_BATCH = 50  # inputs drawn at a time
_AT_A_TIME = 16  # inputs validated together, so that a small pool is not waited for in vain
_BARREN_BATCHES = 8  # batches in a row without one new valid input, after which no more are drawn
_TOGETHER = 8  # smaller inputs that are tried at once
_SMALLER = 600  # inputs tried in place of a counterexample
_SECONDS = 5.0  # spent on them


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of the original for an input: whether the input counts (``ok``).

    ``output`` is then the expected output; otherwise ``reason`` explains the rejection. An input
    not ``tried``, for want of time, may be asked for again.
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


class Inputs(Protocol):
    """Source of further inputs."""

    def draw(self, seed: int, count: int, *, beyond: bool = False) -> list[bytes]:
        """Draw ``count`` inputs of a seed, within the known format and ranges or ``beyond``."""
        ...

    def beyond(self, data: bytes) -> str:
        """Ways in which an input leaves the known format and ranges, in words; empty for none."""
        ...

    def smaller(self, data: bytes) -> Iterable[bytes]:
        """Smaller and simpler inputs of the same format, the smallest first."""
        ...


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Input accepted by the original, and the ``problem`` of the candidate's output."""

    input: bytes
    expected: bytes
    problem: str


@dataclass(frozen=True, slots=True)
class Differential:
    """Result of comparing a candidate with the original.

    ``agreed`` counts validated inputs with equal outputs, ``rejected`` the inputs refused by the
    original while the pool was filled; ``seconds`` is wall time. ``timed_out``: time ended before
    all inputs were tried.
    """

    agreed: int
    rejected: int
    seconds: float
    timed_out: bool = False
    counterexample: Disagreement | None = None


class ValidatedInputs:
    """Inputs accepted by the original, with its outputs; filled once, used for every candidate.

    ``inputs`` draws them, with ``beyond`` outside of the known format and ranges. ``first`` are
    tried before all others. Equal seeds draw equal inputs unless time runs out.
    """

    def __init__(
        self,
        original: Original,
        inputs: Inputs,
        *,
        seed: int = 0,
        beyond: bool = False,
        first: Sequence[bytes] = (),
    ) -> None:
        self._original = original
        self._source = inputs
        self._seed = seed
        self._beyond = beyond
        self.inputs: list[bytes] = []
        """The inputs, in the order in which they are tried."""
        self.expected: list[bytes] = []
        """The original's output on each of ``inputs``."""
        self._waiting = deque(dict.fromkeys(first))  # drawn, not validated
        self._seen = set(self._waiting)
        self._batches = 0
        self._accepted = False  # of the last batch
        self._barren = 0
        self.rejected = 0
        self.reasons: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.inputs)

    @property
    def exhausted(self) -> bool:
        """Whether several batches in a row gave no new accepted input."""
        return self._barren >= _BARREN_BATCHES

    def fill(self, count: int, seconds: float) -> None:
        """Draw until there are ``count`` inputs, time runs out, or nothing new is drawn."""
        end = time.monotonic() + seconds
        while len(self) < count and time.monotonic() < end and not self.exhausted:
            if not self._waiting:
                self._draw()
            elif not self._validate():
                break

    def check(
        self, candidate: Candidate, *, count: int = 500, seconds: float = 10.0
    ) -> Differential:
        """Compare a candidate on ``count`` inputs, drawn and validated where they are missing.

        ``seconds`` limits the comparison; shrinking has its own limit.
        """
        began, agreed = time.monotonic(), 0
        timed_out = False
        found: Disagreement | None = None
        while agreed < count and found is None:
            left = seconds - (time.monotonic() - began)
            if left > 0 and len(self) <= agreed:
                self.fill(min(count, agreed + _BATCH), left)
            batch = slice(agreed, min(count, agreed + _BATCH))
            inputs, expected = self.inputs[batch], self.expected[batch]
            if left <= 0 or not inputs:
                timed_out = left <= 0 or not self.exhausted
                break
            problems = candidate(inputs, expected)
            right = next((n for n, problem in enumerate(problems) if problem), len(problems))
            if right < len(problems):
                whole = Disagreement(inputs[right], expected[right], problems[right])
                found = shrunk(whole, self._source, self._original, candidate)
            elif right < len(inputs):
                raise ValueError(f"checked {right} of {len(inputs)} inputs, found nothing")
            agreed += right
        return Differential(agreed, self.rejected, time.monotonic() - began, timed_out, found)

    def _draw(self) -> None:
        """Draw a batch of new inputs for validation."""
        seed = self._seed * 1_000_003 + self._batches
        self._batches += 1
        drawn = dict.fromkeys(self._source.draw(seed, _BATCH, beyond=self._beyond))
        new = sorted((data for data in drawn if data not in self._seen), key=len)  # soonest done
        self._seen.update(new)
        self._waiting.extend(new)
        self._barren = 0 if self._accepted else self._barren + 1
        self._accepted = False

    def _validate(self) -> bool:
        """Validate some waiting inputs; False if there was time for none."""
        some = list(self._waiting)[:_AT_A_TIME]
        for number, (data, outcome) in enumerate(zip(some, self._original(some), strict=True)):
            if not outcome.tried:
                return number > 0
            self._waiting.popleft()
            if outcome.ok:
                self._accepted, self._barren = True, 0
                self.inputs.append(data)
                self.expected.append(outcome.output)
            else:
                self.rejected += 1
                self.reasons[outcome.reason] = self.reasons.get(outcome.reason, 0) + 1
        return True


def shrunk(
    found: Disagreement, inputs: Inputs, original: Original, candidate: Candidate
) -> Disagreement:
    """The smallest failing input found, in some 600 runs or 5 s.

    It goes beyond the known format and ranges in no other way than the input before shrinking.
    """
    ways = _ways(inputs, found.input) | {""}
    tried: set[bytes] = set()

    def untried(data: bytes) -> Iterator[bytes]:
        for less in inputs.smaller(data):
            if less not in tried and _ways(inputs, less) <= ways:
                tried.add(less)
                yield less

    best, coming = found, untried(found.input)
    runs, end = _SMALLER, time.monotonic() + _SECONDS
    while runs > 0 and time.monotonic() < end:
        batch = list(islice(coming, min(runs, _TOGETHER)))
        if not batch:
            break
        runs -= len(batch)
        outcomes = zip(batch, original(batch), strict=True)
        counting = [(data, outcome.output) for data, outcome in outcomes if outcome.ok]
        problems = candidate(*map(list, zip(*counting, strict=True))) if counting else []
        worse = [
            Disagreement(*one, problem)
            for one, problem in zip(counting, problems, strict=False)
            if problem
        ]
        if worse:
            best, coming = worse[0], untried(worse[0].input)
    return best


def _ways(inputs: Inputs, data: bytes) -> set[str]:
    """Ways in which an input leaves the known format and ranges."""
    return {way.partition(", ")[2] for way in inputs.beyond(data).split("; ")}
