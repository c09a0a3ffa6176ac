"""Oracle: a program's baseline decides which inputs count, and their right outputs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from pathlib import Path
from time import monotonic

from maxcode.executors.program.runner import Place, ProgramFailedError, ProgramRunner, sanitized
from maxcode.fuzz import Outcome
from maxcode.program import Program
from maxcode.sandbox.base import Completed, Limits
from maxcode.tasks.languages import CPP
from maxcode.tasks.program import ProgramTask
from maxcode.toolchain.gxx import sanitized_flags, sanitizer_cause

GIVEN = "it is one of the task's own"
"""Reason to reject an input of the task's own tests."""

_LEAST = 0.5  # seconds that the baseline may take for an input
_TIMES = 3  # times as long as for the slowest test, if that is more
_UNOPTIMISED = 10  # times slower than optimised, at the most
_TRIED = 3  # tests that the baseline has to pass when it is built otherwise
_PATTERN = "-ftrivial-auto-var-init=pattern"  # who reads what nobody wrote prints something else
_SPARSE = 0.1  # of the least output for each byte of input that tests have
_SMALL = 200  # bytes of an input, of which any part may be printed
_WATCH = """#include <cstdlib>
#include <iostream>
namespace { struct StreamWatch { ~StreamWatch() {
    if (std::cin.fail() && !std::cin.eof()) std::_Exit(121); // in the middle of the input
} } stream_watch; }
#line 1
"""


@dataclass(frozen=True)
class _Build:
    """An executable of the baseline, and how it differs from the judged build."""

    executable: Path
    optimised: bool = True
    sanitized: bool = False


class Oracle:
    """Runs the baseline of a task on inputs.

    An input counts if the baseline exits normally, prints about as much for its size as for the
    tests, and gives the same output when built without optimisation, with variables filled with a
    pattern until written and ``cin`` not allowed to fail before the end. ``wall`` is the seconds it
    took by input, and ``until`` the time after which no further run starts, by the monotonic clock.
    """

    def __init__(self, runner: ProgramRunner, place: Place, task: ProgramTask) -> None:
        self.wall: dict[bytes, float] = {}
        self.until = inf
        self._runner = runner
        self._place = place
        self._task = task
        self._given = {test.input for test in task.tests}
        printed = [len(test.expected) / max(1, len(test.input)) for test in task.tests]
        self._printed = _SPARSE * min(printed)
        self._plain = _Build(self._built(task.judging.flags, task.baseline))

    @property
    def usual(self) -> Sequence[float]:
        """Seconds of the baseline for each test."""
        task = self._task
        return self._runner.usual(task) or [task.judging.timeout] * len(task.tests)

    def __call__(self, inputs: Sequence[bytes]) -> list[Outcome]:
        """The baseline's outcome on each input."""
        ran = self._ran(self._plain, inputs, learn=True)
        found = [self._outcome(one) for one in ran]
        for number, data in enumerate(inputs):
            if data in self._given:
                found[number] = Outcome(False, reason=GIVEN)
            elif found[number].ok and _SMALL < len(data) * self._printed > len(
                found[number].output
            ):
                found[number] = Outcome(False, reason="the original prints little on it")
        accepted = [data for data, one in zip(inputs, found, strict=True) if one.ok]
        if not accepted:
            return found
        runs = self._ran(self._unoptimised or self._plain, accepted)
        again = dict(zip(accepted, map(self._outcome, runs), strict=True))
        return [
            self._agreed(data, one, again[data]) if one.ok else one
            for data, one in zip(inputs, found, strict=True)
        ]

    def answer(self, data: bytes) -> bytes | None:
        """The baseline's output on an input accepted before; None if it fails now."""
        outcome = self._outcome(*self._ran(self._plain, [data], learn=True))
        return outcome.output if outcome.ok else None

    def answers(self, inputs: Sequence[bytes]) -> list[tuple[bytes, float] | None]:
        """The baseline's output on each input and its seconds; None if it fails.

        Processor seconds if fewer, since other programs may have delayed it.
        """
        return [
            (outcome.output, min(run.wall, run.cpu)) if run and outcome.ok else None
            for run in self._ran(self._plain, inputs)
            for outcome in [self._outcome(run)]
        ]

    def clean(self, data: bytes) -> bool:
        """Whether the baseline runs on an input without a sanitizer's error.

        Its output must not change under sanitizers either, since this would mean it reads
        uninitialized memory. Checked only where a program differs: sanitizers take ten times as
        long. True for a baseline that fails its own tests under sanitizers.
        """
        if self._watched is None:
            return True
        [completed] = self._ran(self._watched, [data], until=inf)
        if completed is None:
            return True
        if completed.ok:
            expected = self.answer(data)
            return (
                expected is None
                or self._agreed(data, Outcome(True, expected), self._outcome(completed)).ok
            )
        return not sanitizer_cause(completed.stderr)

    @cached_property
    def _unoptimised(self) -> _Build | None:
        language = self._runner.language(self._task)
        if not language.instrumented:
            return None
        flags = (*self._task.judging.flags, "-O0", _PATTERN)
        baseline = self._task.baseline
        watched = baseline.with_code(_WATCH + baseline.code) if language is CPP else baseline
        return self._passing(flags, watched) or self._passing(flags, baseline)

    @cached_property
    def _watched(self) -> _Build | None:
        if not self._runner.language(self._task).instrumented:
            return None
        flags = (*sanitized_flags(self._task.judging.flags), _PATTERN)
        return self._passing(flags, self._task.baseline, sanitized=True)

    def _passing(
        self, flags: tuple[str, ...], program: Program, *, sanitized: bool = False
    ) -> _Build | None:
        """A build of the baseline; None if it fails the quickest tests."""
        try:
            build = _Build(self._built(flags, program), optimised=False, sanitized=sanitized)
        except ProgramFailedError:
            return None
        order = sorted(range(len(self.usual)), key=self.usual.__getitem__)
        tests = [self._task.tests[number] for number in order[:_TRIED]]
        ran = self._ran(build, [test.input for test in tests], until=inf)
        for test, completed in zip(tests, ran, strict=True):
            given = Outcome(True, test.expected)
            if not self._agreed(test.input, given, self._outcome(completed)).ok:
                return None
        return build

    def _built(self, flags: tuple[str, ...], program: Program) -> Path:
        place = self._place.processors
        return self._runner.build(self._task, program, flags=flags, processors=place)

    def _ran(
        self,
        build: _Build,
        inputs: Sequence[bytes],
        *,
        learn: bool = False,
        until: float | None = None,
    ) -> list[Completed | None]:
        """Run a build on inputs, as far as time allows."""
        until = self.until if until is None else until
        done: list[Completed | None] = []
        turns = [self._limits(build)] * len(inputs)
        runs = self._runner.on_each(build.executable, inputs, turns, sanitized=build.sanitized)
        with closing(runs):
            while len(done) < len(inputs) and monotonic() < until:
                completed = next(runs)
                if learn:
                    self.wall[inputs[len(done)]] = completed.wall
                done.append(completed)
        return done + [None] * (len(inputs) - len(done))

    def _limits(self, build: _Build) -> Limits:
        judging = self._task.judging
        limits = Limits(
            seconds=min(judging.timeout, max(_LEAST, _TIMES * max(self.usual))),
            memory=judging.memory,
            output=8 * max(len(test.expected) for test in self._task.tests) + (1 << 20),
            processors=self._place.processors,
        )
        if build.sanitized:
            return sanitized(limits)
        if build.optimised:
            return limits
        return replace(limits, seconds=_UNOPTIMISED * limits.seconds)

    def _outcome(self, completed: Completed | None) -> Outcome:
        if completed is None:
            return Outcome(False, reason="no time was left", tried=False)
        if not completed.ok or completed.flooded:
            return Outcome(False, reason=f"the original {completed.cause}")
        if self._task.judging.checker.difference(completed.stdout, completed.stdout):
            return Outcome(False, reason="its output is never right")  # to PIE, if it is empty
        return Outcome(True, completed.stdout)

    def _agreed(self, data: bytes, first: Outcome, again: Outcome) -> Outcome:
        if not again.ok:
            return again
        checking, judging = self._runner.checking, self._task.judging
        if checking.difference(judging, data, first.output, again.output):
            return Outcome(False, reason="the original does not repeat itself")
        return first
