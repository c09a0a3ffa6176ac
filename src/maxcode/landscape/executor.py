"""LandscapeExecutor: judges points of a landscape, with noise."""

from __future__ import annotations

from math import exp, log
from random import Random

from maxcode.errors import TaskError
from maxcode.evaluation import Baseline, Comparison, Evaluation, Interval, Measurement, Status
from maxcode.interfaces import Executor
from maxcode.landscape.task import Landscape
from maxcode.program import Program
from maxcode.task import Task

# The two levels of the shipped executors, with the quantiles of the normal distribution that make
# them. A comparison takes four times the samples, so its noise is half that of a score.
_SCORED, _COMPARED = (0.95, 1.960), (0.9995, 3.481)
_COMPARED_NOISE = 0.5


class LandscapeExecutor(Executor):
    """Judges programs of a :class:`Landscape` by a formula; no time passes and nothing is run.

    A score is the true speedup times ``exp(noise * z)``, where z is standard normal and drawn from
    ``seed`` and the program; a comparison draws from both programs instead. So the same call always
    gives the same answer, and what was lucky once need not be lucky in the comparison.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def prepare(self, task: Task) -> Baseline:
        """A baseline of 1 second. Raises :class:`TaskError` if it fails."""
        landscape = _landscape(task)
        if failure := landscape.failure(task.baseline):
            raise TaskError(f"task {task.name!r}: the baseline fails: {failure[1]}")
        note = "simulated: nothing was measured"
        return Baseline(_seconds(1.0), note, noise=landscape.terrain.noise)

    def evaluate(self, task: Task, program: Program) -> Evaluation:
        """The program's status or its noisy speedup."""
        landscape = _landscape(task)
        if failure := landscape.failure(program):
            status, feedback = failure
            return Evaluation(status, feedback=feedback)
        true, noise = landscape.speedup(program), landscape.terrain.noise
        speedup = _noisy(true, noise, _SCORED, self._rng(program))
        return Evaluation(
            Status.OK, speedup, measurements=_seconds(1 / speedup.value), reference=_seconds(1.0)
        )

    def compare(self, task: Task, a: Program, b: Program) -> Comparison:
        """The noisy ratio of the two; of the same two always the same."""
        landscape = _landscape(task)
        for name, program in (("first", a), ("second", b)):
            if failure := landscape.failure(program):
                return Comparison(None, problem=f"the {name} program fails: {failure[1]}")
        true = landscape.speedup(a) / landscape.speedup(b)
        noise = _COMPARED_NOISE * landscape.terrain.noise
        ratio = _noisy(true, noise, _COMPARED, self._rng(a, b))
        second = 1 / landscape.speedup(b)
        return Comparison(ratio, _seconds(second / ratio.value), _seconds(second))

    def _rng(self, *programs: Program) -> Random:
        return Random(f"{self.seed}:{':'.join(program.digest for program in programs)}")


def _landscape(task: Task) -> Landscape:
    if not isinstance(task, Landscape):
        raise TaskError(f"task {task.name!r} is no landscape; its programs must be run")
    return task


def _noisy(true: float, noise: float, confidence: tuple[float, float], rng: Random) -> Interval:
    level, quantile = confidence
    middle, half = log(true) + noise * rng.gauss(), quantile * noise
    return Interval(exp(middle), exp(middle - half), exp(middle + half), level)


def _seconds(value: float) -> tuple[Measurement, ...]:
    return (Measurement("simulated", "s", (value,)),)
