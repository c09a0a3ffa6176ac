"""Timing of projects: benchmark processes of two trees in turn, and checks of their figures.

A process gives a single figure for each benchmark; processes are the samples, never a tool's own
repetitions. A tool's figures are the candidate's own word, as its code runs in the same process, so
each is compared with the supervisor's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import exp, log
from random import Random
from statistics import fmean, median

from maxcode.errors import InputError
from maxcode.evaluation import Interval, Measurement, Status, TimedTest
from maxcode.executors.project.tools import idle
from maxcode.executors.project.trees import (
    CandidateFailedError,
    Output,
    ProjectTrees,
    Run,
    Tree,
    failure,
)
from maxcode.executors.soundness import (
    ChangedOriginalError,
    left_over,
    project_gaps,
    watched,
)
from maxcode.measure.lane import Lane, LaneWatch, timing_processors
from maxcode.measure.rounds import Plan, bounds, interleave
from maxcode.measure.statistics import repetitions
from maxcode.readers.figure import Figure
from maxcode.readers.formats import PROCESS, read_figures
from maxcode.tasks.checkers import Difference
from maxcode.tasks.project import ProjectTask
from maxcode.text import counted

_UNACCOUNTED = 0.2  # of its busy time that a process may not account for, beyond the baseline
_SLACK = 0.02  # seconds
_OUTSIDE = "process"  # the last measurement: what the supervisor's clock says
_EMPTY_RUNS = 3  # of which the quickest counts
_LARGE = 1.2  # a gain that is looked for where tests run, too
_LOOKS = 5  # for it, of which most have to agree: one may be wrong by chance, either way
_LONG = 10.0  # seconds of a process, from which the baseline alone is timed twice only
_CLAIMED = 1.1  # times the processors' seconds that passed, which a tool may say it measured


@dataclass(frozen=True, slots=True)
class Sample:
    """Figures of a process of each command; ``outside`` is the supervisor's clock.

    ``busy`` are its seconds of computing, without waiting for a processor. ``spent`` are the tool's
    own seconds of measuring, None if unknown; ``prints`` is the commands' output, if compared.
    """

    figures: dict[str, float]
    spent: float | None
    outside: float
    busy: float
    prints: tuple[bytes, ...] = ()

    @property
    def beyond(self) -> float:
        """Seconds of work missing in the tool's report."""
        return self.busy - (self.spent or 0.0)

    @property
    def share_beyond(self) -> float:
        """Seconds of work missing, with the reported share of time applied to work.

        A tool's time includes waiting for a processor, too.
        """
        return self.busy * (1 - (self.spent or 0.0) / self.outside)


@dataclass(frozen=True, slots=True)
class Timed:
    """Two trees timed in turn; ``ratio`` is above 1 if the first is faster overall.

    ``by_test`` has each benchmark.
    """

    first: tuple[Measurement, ...]
    second: tuple[Measurement, ...]
    ratio: Interval
    by_test: tuple[TimedTest, ...]
    suspicion: str = ""

    def slower(self, margin: float) -> list[str]:
        """Benchmarks slower by more than the margin, with their ratios."""
        slow = (one for one in self.by_test if one.ratio.high < 1 - margin)
        return [f"{one.name} {one.ratio}" for one in slow]


class ProjectTiming:
    """Takes samples, a process at a time on its processors, exclusive on this machine."""

    def __init__(self, task: ProjectTask, trees: ProjectTrees, watch: LaneWatch) -> None:
        self._task = task
        self._trees = trees
        self._watch = watch
        self._rng = Random()  # a program that knew what comes next could behave by it
        self._usual: Sample | None = None
        self._passes = 1
        self._reported: dict[str, int] = {}  # how often the baseline's tool does, by benchmark

    def prepare(self, count: int) -> tuple[Measurement, ...]:
        """Time the baseline alone. Raises :class:`CandidateFailedError`, InputError."""
        with self.alone():
            first = self._usual = self._sample(self._trees.baseline, 1)
            self._check_outputs(first)
            if self._task.benchmark.format == PROCESS:
                self._passes = repetitions(min(first.figures.values()))
            count = count if first.outside < _LONG else 2
            samples = [self._sample(self._trees.baseline, self._passes) for _ in range(count)]
        return _measurements(self._task, samples)

    def _check_outputs(self, sample: Sample) -> None:
        """Raise InputError for a named output no command writes: nothing would be compared."""
        outputs = self._task.benchmark.outputs
        for number, path in enumerate(outputs, 1):
            if sample.prints and not any(sample.prints[number :: len(outputs) + 1]):
                raise InputError(
                    f"no benchmark command writes anything to {path!r}, which is to be compared: "
                    "name what they write by outputs in [bench] (--outputs of maxcode init), "
                    "relative to the project's folder"
                )

    def gaps(self) -> tuple[str, ...]:
        """Gaps left. Raises :class:`~maxcode.errors.TaskError` if nothing is compared."""
        task, baseline = self._task, self._trees.baseline
        commands = task.commands.bench if task.benchmark.format == PROCESS else ()
        prints = self._usual.prints if self._usual else ()
        each = 1 + len(task.benchmark.outputs)
        left: list[str] = []
        for command in commands:
            run = Run(task.bounds.bench, self._trees.processors)
            script = watched(command, isolated=True)
            printed = self._trees.run(baseline, script, run).completed.stdout
            left += left_over(printed, task.benchmark.outputs)
        return project_gaps(
            task,
            {one: prints[n * each : (n + 1) * each] for n, one in enumerate(commands)},
            list(dict.fromkeys(left)),
        )

    def floor(self) -> float | None:
        """Reading of processes with nothing to do; None for figures of a tool."""
        task, benchmark = self._task, self._task.benchmark
        if benchmark.format != PROCESS:
            return None
        run = Run(task.bounds.bench, self.processors, benchmark.writable)

        def used(command: str) -> float:
            ended = self._trees.run(self._trees.baseline, idle(command), run).completed
            return float(getattr(ended, benchmark.meter))

        with self.alone():
            each = [min(used(one) for _ in range(_EMPTY_RUNS)) for one in task.commands.bench]
        return exp(fmean(log(max(one, 1e-6)) for one in each))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the baseline's benchmarks."""
        return tuple(self._usual.figures) if self._usual else ()

    @property
    def processors(self) -> tuple[int, ...]:
        """Numbers of the processors for benchmarks."""
        return timing_processors(self._task.benchmark.threads)

    def alone(self) -> AbstractContextManager[None]:
        """Hold the timing lane."""
        return self._watch.hold(Lane(self.processors), lambda: self._trees.deadline.passed)

    def runs_in(self, tree: Tree) -> bool:
        """Whether the benchmark runs there, with the baseline's output if compared."""
        with self.alone():
            try:
                self._sample(tree, 1)
            except CandidateFailedError:
                return False
        return True

    def measure(self, a: Tree, b: Tree, plan: Plan) -> Timed:
        """Time two trees in turn. Raises as :meth:`prepare` does.

        The lane is given back between rounds: some take minutes.
        """
        sides = self._sampler(a), self._sampler(b)
        first, second, ratio = interleave(*sides, _overall, plan, self._rng, each_round=self.alone)
        ours, theirs = (_measurements(self._task, side) for side in (first, second))
        each = []
        for name in first[0].figures:
            mine, others = ([one.figures[name] for one in side] for side in (first, second))
            found = bounds(others, mine, ratio.level)
            each.append(TimedTest(name, median(mine), median(others), ours[0].unit, found))
        return Timed(
            ours,
            theirs,
            ratio,
            tuple(each),
            self._suspicion(first, second, ratio),
        )

    def only_when_timed(self, a: Tree, b: Tree, ratio: Interval) -> str:
        """Reason not to believe a gain of the first: it vanishes under the tests' conditions.

        In tests its tree is writable, which a program may detect, to do less when timed. "" for a
        small gain, and if a program's output is compared with the original's.
        """
        benchmark = self._task.benchmark
        if benchmark.format == PROCESS or benchmark.writable:
            return ""
        if ratio.low <= 1 or ratio.value < _LARGE:
            return ""
        seen: list[float] = []
        with self.alone():
            while len(seen) < _LOOKS:
                ours, theirs = (_overall(self._sample(one, 1, writable=True)) for one in (a, b))
                seen.append(log(theirs / ours))
                shown = sum(one > log(ratio.value) / 2 for one in seen)
                if shown > _LOOKS // 2:
                    return ""
                if len(seen) - shown > _LOOKS // 2:
                    break
        return (
            f"it is {ratio.value:.3g} times as fast where its tree is read-only, and "
            f"{exp(median(seen)):.3g} times where it can be written to, as in tests"
        )

    def _sampler(self, tree: Tree) -> Callable[[], Sample]:
        def take() -> Sample:
            self._trees.deadline.check()
            return self._sample(tree, self._passes)

        return take

    def _sample(self, tree: Tree, passes: int, *, writable: bool = False) -> Sample:
        """Figures of a process of each command, or the mean of ``passes`` processes."""
        task, benchmark = self._task, self._task.benchmark
        figures: dict[str, float] = {}
        spent: list[float | None] = []
        outside, busy, prints = 0.0, 0.0, []
        for command in task.commands.bench:
            outputs = [self._process(tree, command, writable) for _ in range(passes)]
            outside += sum(one.completed.wall for one in outputs)
            busy += sum(min(one.completed.cpu, one.completed.wall) for one in outputs)
            if benchmark.format == PROCESS:
                used = [getattr(one.completed, benchmark.meter) for one in outputs]
                figures[command] = max(fmean(used), 1e-6)
                prints += [
                    part for one in outputs[-1:] for part in (one.completed.stdout, *one.files)
                ]
                continue
            read = self._figures(command, outputs[0])
            spent += [one.spent for one in read]
            for one in read:
                if one.reported > (usual := self._reported.setdefault(one.name, one.reported)):
                    raise CandidateFailedError(
                        Status.SUSPECT,
                        f"benchmark {one.name!r} is reported {counted(one.reported, 'time')}, and "
                        f"{counted(usual, 'time')} by the original",
                    )
                if figures.setdefault(one.name, one.value) != one.value:
                    raise InputError(f"two benchmark commands report {one.name!r}")
        sample = Sample(
            self._wanted(figures),
            None if None in spent or not spent else sum(filter(None, spent)),
            outside,
            busy,
            tuple(prints),
        )
        if difference := self._difference(sample):
            if tree is self._trees.baseline:
                raise ChangedOriginalError(difference)
            self._sample(self._trees.baseline, 1, writable=writable)  # which raises, if it differs
            said = "the benchmark command's output differs from the original's"
            raise CandidateFailedError(
                Status.WRONG_ANSWER,
                f"{said}: {difference.without_expected}",
                f"{said}: {difference}",
            )
        return sample

    def _difference(self, sample: Sample) -> Difference | None:
        """First difference of its outputs from the original's; None if equal."""
        usual = self._usual.prints if self._usual else sample.prints
        checker = self._task.benchmark.checker
        found = (checker.difference(*one) for one in zip(usual, sample.prints, strict=True))
        return next(filter(None, found), None)

    def _process(self, tree: Tree, command: str, writable: bool) -> Output:
        task = self._task
        writable = writable or task.benchmark.writable
        run = Run(task.bounds.bench, self.processors, writable)
        ended = self._trees.run(tree, command, run, task.benchmark.outputs)
        completed = ended.completed
        if completed.ok and not completed.flooded:
            return ended
        raise failure(completed, Status.RUNTIME_ERROR, f"the benchmark {command!r}", "bench")

    def _figures(self, command: str, ended: Output) -> list[Figure]:
        output = ended.report if "{out}" in command else ended.completed.stdout
        try:
            return read_figures(self._task.benchmark.format, output)
        except InputError as error:
            raise CandidateFailedError(Status.RUNTIME_ERROR, f"{command!r}: {error}") from error

    def _wanted(self, figures: dict[str, float]) -> dict[str, float]:
        """Figures wanted by the task, in the baseline's order; none may be missing."""
        if self._usual is not None:
            names = list(self._usual.figures)
            if missing := [name for name in names if name not in figures]:
                raise CandidateFailedError(
                    Status.WRONG_ANSWER, f"benchmark {missing[0]!r} vanished from the report"
                )
            return {name: figures[name] for name in names}
        only = self._task.benchmark.only
        if not only:
            return figures
        found = {
            name: value
            for name, value in figures.items()
            if any(fnmatchcase(name, pattern) for pattern in only)
        }
        if not found:
            raise InputError(f"no benchmark matches only = {list(only)}; there are {list(figures)}")
        return found

    def _suspicion(self, ours: Sequence[Sample], theirs: Sequence[Sample], ratio: Interval) -> str:
        """Reason not to believe the first's figures, by the supervisor's clock."""
        if any(one.spent is None for one in (*ours, *theirs)) or ratio.value <= 1:
            return ""
        outside, usual = (median(one.outside for one in side) for side in (ours, theirs))
        claimed, before = (median(one.spent or 0.0 for one in side) for side in (ours, theirs))
        if claimed > _CLAIMED * outside + _SLACK and before <= _CLAIMED * usual + _SLACK:
            return f"it reports {claimed:.3g} s of measurements, and ran for {outside:.3g} s"
        beyond = min(one.beyond for one in ours)  # of what is so in each process, not by chance
        allowed = max(0.0, *(max(one.beyond, one.share_beyond) for one in theirs))
        busy = median(one.busy for one in ours)
        if beyond - allowed > _UNACCOUNTED * busy + _SLACK:
            return (
                f"of the {busy:.3g} s that it was busy, its report does not account for "
                f"{beyond:.3g} s; of the original's for at most {allowed:.3g} s"
            )
        least = min(one.beyond for one in theirs)
        if least > 2 * _SLACK and outside < least / 2:
            return (
                f"it ran for {outside:.3g} s, and what the original's process does beside its "
                f"benchmarks alone takes {least:.3g} s"
            )
        return ""


def each_benchmark(
    first: Sequence[Measurement], second: Sequence[Measurement], level: float
) -> dict[str, Interval]:
    """Ratio of each of a project's benchmarks, by name; empty for a single benchmark.

    ``first`` and ``second`` are paired measurements of a project's comparison or evaluation; other
    executors' measurements have no benchmarks.
    """
    if not first or first[-1].meter != _OUTSIDE or len(first) != len(second):
        return {}
    return {
        ours.meter: bounds(theirs.samples, ours.samples, level)
        for ours, theirs in zip(first[1:-1], second[1:-1], strict=True)
        if len(ours.samples) == len(theirs.samples) > 1
    }


def _overall(sample: Sample) -> float:
    """Geometric mean over benchmarks: ratios of means are means of ratios."""
    return exp(fmean(log(value) for value in sample.figures.values()))


def _measurements(task: ProjectTask, samples: Sequence[Sample]) -> tuple[Measurement, ...]:
    """Measurements of all benchmarks together, then of each, then of the supervisor's clock."""
    benchmark = task.benchmark
    meter = benchmark.meter if benchmark.format == PROCESS else "time"
    unit = "" if benchmark.format.startswith(("json:", "regex:")) else "s"
    whole = Measurement(meter, unit, tuple(map(_overall, samples)))
    names = list(samples[0].figures)
    each = [
        Measurement(name, unit, tuple(one.figures[name] for one in samples))
        for name in (names if len(names) > 1 else ())
    ]
    outside = Measurement(_OUTSIDE, "s", tuple(one.outside for one in samples))
    return (whole, *each, outside)
