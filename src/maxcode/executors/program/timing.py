"""ProgramTiming: speed of a program compared with another, in an exclusive lane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from math import ceil, inf
from pathlib import Path
from random import Random
from statistics import fmean, median

from maxcode.evaluation import Baseline, Drawn, Interval, Measurement, TimedTest
from maxcode.executors.base import on_processors
from maxcode.executors.program.draws import Draws
from maxcode.executors.program.runner import (
    KernelTime,
    Pass,
    Place,
    ProgramFailedError,
    ProgramRunner,
    Sample,
)
from maxcode.interfaces import Incumbent
from maxcode.measure.lane import Lane, LaneWatch, all_processors, timing_processors
from maxcode.measure.meters import METERS, Meter, meter
from maxcode.measure.rounds import Plan, bounds, interleave
from maxcode.measure.statistics import bounded, noise, repetitions
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.checkers import Checker
from maxcode.tasks.languages import CPP, language_named
from maxcode.tasks.program import ProgramTask, TestCase
from maxcode.text import counted

_ALIKE = 2  # times as long
_MAX_SLOW_PASSES, _MAX_PASSES = 3, 10  # in a sample of unequal programs
_QUICK_SHARE = 0.25
_LONG_IN_KERNEL, _MOST_IN_KERNEL = 0.6, 60  # seconds of passes that are looked at, and how many
_DRIFTED = 1.1  # times what an incumbent took when it was scored; machines do that, too

_QUICK = 0.03  # seconds of a test, up to which starting the process matters
_MOST_TESTS = 50  # that are listed one by one
_LEAST = 1e-9  # of a reading that has to have a ratio
_EMPTY_RUNS = 5


@dataclass(frozen=True, slots=True)
class Timed:
    """Two programs timed in turn; ``ratio`` is above 1 if the first is faster.

    ``in_kernel`` is the kernel's time for each, including the instrument's, if counted.
    """

    first: tuple[Measurement, ...]
    second: tuple[Measurement, ...]
    ratio: Interval
    drawn: Drawn | None = None
    by_test: tuple[TimedTest, ...] = ()
    in_kernel: tuple[KernelTime, KernelTime] | None = None


class ProgramTiming:
    """Takes samples, exclusively on its processors, across all processes of this machine.

    ``processors`` are those to time on; None leaves the choice to the meter.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        runner: ProgramRunner,
        processors: Sequence[int] | None,
        watch: LaneWatch,
    ) -> None:
        self._sandbox = sandbox
        self._runner = runner
        self._processors = processors
        self._watch = watch
        self._seconds: dict[tuple[str, str], float] = {}  # of a pass, by task and program
        self._in_kernel: dict[tuple[str, str], KernelTime] = {}
        self.rng = Random()  # a program that knew what comes next could behave by it

    def prepare(self, task: ProgramTask, checked: Pass, samples: int) -> Baseline:
        """Time the baseline, ``checked`` before, alone; raises like :meth:`ProgramRunner.run`."""
        with self._exclusive(task):
            passes = repetitions(self._pass_of(task, task.baseline))
            take = self._sampler(task, task.baseline, 1 if self._counted(task) else passes)
            taken = [take() for _ in range(samples)]
        timed = [checked] if self._counted(task) else chain.from_iterable(taken)
        self._runner.expect(
            task, [max(run.wall for run in runs) for runs in zip(*timed, strict=True)]
        )
        measurements, language = _measurements(task, taken), language_named(task.language)
        quick = self.seconds(task, task.baseline) < _QUICK * len(task.tests)
        starting = bool(language.programs) and (quick or not language.compiled)
        tests = counted(len(task.tests), "test")
        build = " ".join(("g++" if language is CPP else language.title, *task.judging.flags))
        isolation = "isolated" if self._sandbox.isolated else "limited, not isolated"
        return Baseline(
            measurements,
            f"{tests}, {build}, {isolation}, {on_processors(self.processors(task))}",
            noise=noise(measurements[0].samples),
            floor=self._floor(task) if starting else None,
            passed=f"same output on {tests}",
            isolated=self._sandbox.isolated,
        )

    def _floor(self, task: ProgramTask) -> float:
        """Reading of an empty program, for as many tests."""
        reward, empty = meter(task.judging.meter), _empty(task)
        self._runner.build(empty, empty.baseline)
        with self._exclusive(task):
            take = self._sampler(empty, empty.baseline, 1 if self._counted(task) else _EMPTY_RUNS)
            once = _value(reward, take())
        return once * len(task.tests) if reward.additive else once

    def starting(self, task: ProgramTask) -> float:
        """Processor seconds of an empty program, for as many tests."""
        empty = _empty(task)
        return self.quickest(empty, empty.baseline) * len(task.tests)

    def quickest(self, task: ProgramTask, program: Program) -> float:
        """Minimum processor seconds of several passes, on the timing processors."""
        place, taken = Place(self._lane(task).processors), [self._pass_of(task, program)]
        for _ in range(min(repetitions(taken[0]), _EMPTY_RUNS)):
            runs = self._runner.run(task, program, place)
            taken.append(sum(run.cpu for run in runs))
        return min(taken)

    def in_kernel(self, task: ProgramTask, program: Program) -> KernelTime:
        """The kernel's time for a program in plain runs."""
        key = task.digest, program.digest
        if key not in self._in_kernel:
            seconds = max(self._pass_of(task, program), 1e-6)
            passes = max(1, min(_MOST_IN_KERNEL, ceil(_LONG_IN_KERNEL / seconds)))
            place = Place(self._lane(task).processors)
            taken = [self._runner.run(task, program, place) for _ in range(passes)]
            self._in_kernel[key] = KernelTime.of(taken)
        return self._in_kernel[key]

    def score(
        self, task: ProgramTask, program: Program, plan: Plan, against: Incumbent | None
    ) -> tuple[Timed, Incumbent | None]:
        """Time a program; returns the incumbent it was timed against, None for the baseline.

        An incumbent is a candidate, too, and its speedup holds only while it behaves. So programs
        are timed against the baseline itself if they look faster than the incumbent, or if it fails
        or slows down, perhaps from malice.
        """
        if against is not None and against.program not in (task.baseline, program):
            try:
                timed = self.measure(task, program, against.program, plan)
            except ProgramFailedError as failed:
                if failed.program == program:
                    raise
            else:
                slowed = timed.second[0].median > _DRIFTED * (against.reading or inf)
                if timed.ratio.value < 1 and not slowed:
                    return timed, against
        return self.measure(task, program, task.baseline, plan), None

    def measure(
        self,
        task: ProgramTask,
        a: Program,
        b: Program,
        plan: Plan,
        draws: Draws | None = None,
    ) -> Timed:
        """Time two programs in turn.

        ``draws`` gives each round layouts and inputs. Raises as :meth:`ProgramRunner.run` does.
        """
        reward = meter(task.judging.meter)
        with self._exclusive(task):
            passes = (1, 1)
            if not self._counted(task):
                passes = _balanced(self._pass_of(task, a), self._pass_of(task, b))
            first, second, ratio = interleave(
                self._side(task, a, 0, passes, draws),
                self._side(task, b, 1, passes, draws),
                lambda sample: _value(reward, sample),
                plan,
                self.rng,
                repeatable=reward.repeatable,
            )
            drawn = None
            if draws is not None:
                ours, theirs = ([_value(reward, one) for one in side] for side in (first, second))
                again: list[tuple[float, float]] = []
                if ratio.low > plan.floor and b == task.baseline:  # about to be reported
                    for executable, before in draws.again(ours):
                        taken = self._sampler(task, a, passes[0], executable)()
                        again.append((before, _value(reward, taken)))
                ratio, drawn = draws.result(ours, theirs, ratio, again)
        in_kernel = [KernelTime.of([*chain.from_iterable(side)]) for side in (first, second)]
        return Timed(
            _measurements(task, first),
            _measurements(task, second),
            ratio,
            drawn,
            _by_test(task, first, second, ratio.level),
            (in_kernel[0], in_kernel[1]) if self._counted(task) else None,
        )

    def processors(self, task: ProgramTask) -> tuple[int, ...]:
        """Numbers of the processors to time the task's programs on."""
        return self._lane(task).processors

    def checked(self, task: ProgramTask, program: Program, passed: Pass) -> None:
        """Record a pass's duration, for choosing the passes of a sample."""
        self._seconds[task.digest, program.digest] = sum(run.cpu for run in passed)

    def seconds(self, task: ProgramTask, program: Program) -> float:
        """Processor time of a pass when the program was last checked; 0 if never."""
        return self._seconds.get((task.digest, program.digest), 0.0)

    def undisturbed(self, task: ProgramTask) -> AbstractContextManager[None]:
        """Context to build and check programs of the task in.

        Waits for measurements on all processors, which it would disturb.
        """
        return self._exclusive(task) if self._is_wide(task) else nullcontext()

    def _exclusive(self, task: ProgramTask) -> AbstractContextManager[None]:
        """Hold the lane, if others can disturb the meter."""
        if self._counted(task):
            return nullcontext()
        return self._watch.hold(self._lane(task), lambda: self._runner.deadline.passed)

    def _is_wide(self, task: ProgramTask) -> bool:
        """Whether it is timed on all processors: only the wall clock sees several at work."""
        return self._processors is None and task.judging.meter == "wall"

    def _lane(self, task: ProgramTask) -> Lane:
        if self._processors is not None:
            return Lane(self._processors)
        return Lane(all_processors() if self._is_wide(task) else timing_processors())

    def _counted(self, task: ProgramTask) -> bool:
        """Whether the task's meter counts, and so needs no clock."""
        return meter(task.judging.meter).repeatable > 0

    def _pass_of(self, task: ProgramTask, program: Program) -> float:
        """Processor seconds of the program's pass."""
        key = task.digest, program.digest
        if key not in self._seconds:  # it was not checked by this executor
            place = Place(self._lane(task).processors)
            self.checked(task, program, self._runner.run(task, program, place))
        return self._seconds[key]

    def _sampler(
        self, task: ProgramTask, program: Program, passes: int, executable: Path | None = None
    ) -> Callable[[], Sample]:
        """Function to take a sample of ``passes`` passes."""
        run_each = partial(meter(task.judging.meter).run_each, self._sandbox)
        place = Place(self._lane(task).processors, run_each, executable, self.rng)
        return partial(self._runner.sample, task, program, place, passes)

    def _side(
        self,
        task: ProgramTask,
        program: Program,
        side: int,
        passes: tuple[int, int],
        draws: Draws | None,
    ) -> Callable[[], Sample]:
        """Function to take a sample, in the next round's layout and inputs, if drawn."""
        if draws is None:
            return self._sampler(task, program, passes[side])
        rounds = count()

        def take() -> Sample:
            made = draws.inputs(next(rounds), min(passes))
            executable = draws.executable(side)
            if made is None:
                return self._sampler(task, program, passes[side], executable)()
            try:
                [runs] = self._sampler(made, program, 1, executable)()
            finally:
                self._runner.forget(made)
            each = len(task.tests)
            return [runs[start : start + each] for start in range(0, len(runs), each)]

        return take


def _empty(task: ProgramTask) -> ProgramTask:
    """A task of doing nothing, once, judged like ``task``."""
    judging = replace(task.judging, checker=Checker("exact"))  # to PIE nothing is never right
    tests = (TestCase("nothing", b"", b""),)
    language = language_named(task.language)
    empty = Program.of(language.empty, language.entry)
    return replace(task, baseline=empty, editable=(), tests=tests, judging=judging)


def times(one: Interval, other: Interval) -> Interval:
    """Product of two ratios; it covers the true product whenever both intervals do."""
    return Interval(
        one.value * other.value,
        one.low * other.low,
        one.high * other.high,
        max(one.level + other.level - 1, 0.01),  # Bonferroni's inequality
    )


def _balanced(ours: float, theirs: float) -> tuple[int, int]:
    """Number of passes of each program in a sample, from the seconds of a pass.

    Similarly fast programs take equal numbers: a mean over fewer passes has heavier tails, which
    would be unfair. If a program is far quicker, its samples last up to a quarter of the other's,
    since they are noisier and cost little.
    """
    ours, theirs = max(ours, 1e-6), max(theirs, 1e-6)
    if max(ours, theirs) <= _ALIKE * min(ours, theirs):
        return (repetitions(min(ours, theirs)),) * 2
    slow, quick = max(ours, theirs), min(ours, theirs)
    of_slow = min(repetitions(slow), _MAX_SLOW_PASSES)
    of_quick = max(
        min(repetitions(quick), _MAX_SLOW_PASSES), round(_QUICK_SHARE * of_slow * slow / quick)
    )
    passes = min(of_quick, _MAX_PASSES), of_slow
    return passes if ours < theirs else (passes[1], passes[0])


def _value(one: Meter, sample: Sample) -> float:
    together = sum if one.additive else max
    return fmean(together(one.read(run) for run in runs) for runs in sample)


def _by_test(
    task: ProgramTask, first: Sequence[Sample], second: Sequence[Sample], level: float
) -> tuple[TimedTest, ...]:
    """Readings of the reward's meter by test, of the longest fifty; empty for a single test."""
    if len(task.tests) < 2 or len(first) != len(second) or len(first) < 2:
        return ()
    reward = meter(task.judging.meter)
    ours, theirs = (
        [
            [max(fmean(reward.read(runs[number]) for runs in one), _LEAST) for one in side]
            for number in range(len(task.tests))
        ]
        for side in (first, second)
    )
    longest = sorted(range(len(theirs)), key=lambda number: -median(theirs[number]))

    def compared(number: int) -> Interval:
        if reward.repeatable:
            return bounded(theirs[number], ours[number], reward.repeatable, level)
        return bounds(theirs[number], ours[number], level)

    return tuple(
        TimedTest(
            task.tests[number].name,
            median(ours[number]),
            median(theirs[number]),
            reward.unit,
            compared(number),
        )
        for number in sorted(longest[:_MOST_TESTS])
    )


def _measurements(task: ProgramTask, samples: Sequence[Sample]) -> tuple[Measurement, ...]:
    """Readings of all available meters, the reward's first."""
    reward = meter(task.judging.meter)
    ordered = sorted(METERS, key=lambda known: known is not reward)
    return tuple(
        Measurement(one.name, one.unit, tuple(_value(one, sample) for sample in samples))
        for one in ordered
        if one is reward or not (one.repeatable or reward.repeatable)  # which sees but itself
    )
