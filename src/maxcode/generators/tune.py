"""TuneGenerator: proposes other values for a program's declared parameters."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from random import Random
from typing import Any

from maxcode.errors import GeneratorError, InputError, ToolError
from maxcode.evaluation import Status
from maxcode.generators.parameters import Point, Tunable, read
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.task import Task

_ENUMERATED = 20_000  # points up to which a space is listed as a whole
_ASKED = 20  # times that the sampler is asked for a new point
_DRAWN = 20_000  # points drawn at random at most where the space is too large to be listed

Results = Mapping[Point, float]
"""The reward of each tried point; 0 is a failure."""


class TuneGenerator(Generator):
    """Writes other values into the best shown program with declared parameters.

    :mod:`maxcode.generators.parameters` has the forms of declarations. A space of up to ``grid``
    points is tried whole, in an order drawn from the observation's seed. In a larger space Optuna's
    TPE sampler proposes, which learns from the programs with other values alone; a failure counts
    as infeasible. Restrictions are kept to, and no point is proposed twice. The sampler is built
    anew from each observation, so nothing is kept between calls. With nothing left, or nothing
    declared, it proposes nothing.
    """

    trusted = True

    def __init__(self, grid: int = 32) -> None:
        if grid < 1:
            raise InputError(f"grid is a number of points, not {grid}")
        self.grid = grid
        self._read = lru_cache(4096)(read)  # steps are read again for each observation

    def hint(self, task: Task) -> str:
        """How to declare parameters, in the task's language."""
        how = _PYTHON if task.language == "python" else _CPP
        return f"{_HINT} {how}"

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """Up to ``n`` programs with other values; fewer when there are no more.

        Raises :class:`~maxcode.errors.GeneratorError` for an unreadable declaration of the task's
        own program, and :class:`~maxcode.errors.ToolError` without Optuna, if needed.
        """
        tunable = self._best(observation)
        if tunable is None:
            return []
        tried = self._results(tunable, observation)
        learned = tried if observation.trajectory is not None else {}
        rng = Random(observation.seed)
        proposals: list[Proposal] = []
        for point in self._points(tunable, tried, learned, rng):
            if len(proposals) == n:
                break
            program = tunable.with_values(point)
            if program not in observation.seen:
                proposals.append(Proposal(program, _summary(tunable, point), ("tune",)))
        return proposals

    def declares(self, task: Task) -> bool:
        """Whether the task's own program declares parameters.

        Raises :class:`~maxcode.errors.InputError` for an unreadable declaration.
        """
        return self._read(task.baseline, _paths(task)) is not None

    def _best(self, observation: Observation) -> Tunable | None:
        """The best shown program with declared parameters."""
        task = observation.task
        shown = [step for step in observation.shown if step.evaluation.ok]
        for step in sorted(shown, key=lambda step: (-step.reward, step.id)):
            try:
                tunable = self._read(step.program, _paths(task))
            except InputError as error:
                if step.program == task.baseline:
                    raise GeneratorError(str(error)) from error
                continue  # whoever wrote it
            if tunable is not None:
                return tunable
        return None

    def _results(self, tunable: Tunable, observation: Observation) -> Results:
        """Results of programs with other values alone."""
        results: dict[Point, float] = {tunable.values: 0.0}
        steps = {step.id: step for step in (*observation.history, *observation.shown)}
        for _, step in sorted(steps.items()):
            if step.evaluation.status in (Status.INVALID, Status.INFRASTRUCTURE):
                continue
            try:
                other = self._read(step.program, _paths(observation.task))
            except InputError:
                continue
            if other is not None and other.skeleton == tunable.skeleton:
                results[other.values] = max(results.get(other.values, 0.0), step.reward)
        return results

    def _points(
        self, tunable: Tunable, tried: Results, learned: Results, rng: Random
    ) -> Iterator[Point]:
        """Untried points, the most promising first."""
        drawn = (tuple(rng.choice(one.values) for one in tunable.parameters) for _ in range(_DRAWN))
        spare: Iterator[Point] = filter(tunable.allowed, drawn)
        if tunable.size <= _ENUMERATED:
            allowed = list(tunable.points())
            fresh = [point for point in allowed if point not in tried]
            rng.shuffle(fresh)
            if len(allowed) <= self.grid:
                yield from fresh
                return
            spare = iter(fresh)
        given = set(tried)
        for point in chain(_sampled(tunable, learned, given, rng.getrandbits(32)), spare):
            if point not in given:
                given.add(point)
                yield point


def _sampled(
    tunable: Tunable, learned: Results, given: Collection[Point], seed: int
) -> Iterator[Point]:
    """New allowed points by Optuna's TPE sampler, until it finds none."""
    optuna, parameters = _optuna(), tunable.parameters
    distributions = {
        one.name: optuna.distributions.IntDistribution(0, len(one.values) - 1)
        if one.ordered
        else optuna.distributions.CategoricalDistribution(range(len(one.values)))
        for one in parameters
    }
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    for known, reward in learned.items():
        pairs = list(zip(parameters, known, strict=True))
        if all(value in one.values for one, value in pairs):
            trial = optuna.trial.create_trial(
                params={one.name: one.values.index(value) for one, value in pairs},
                distributions=distributions,
                value=reward,
                constraints={"failed": float(reward == 0)},
            )
            study.add_trial(trial)
    fruitless = 0
    while fruitless < _ASKED:  # what is asked for stays open, so the sampler moves away from it
        trial, fruitless = study.ask(distributions), fruitless + 1
        point = tuple(one.values[trial.params[one.name]] for one in parameters)
        if point not in given and tunable.allowed(point):
            yield point
            fruitless = 0


def _optuna() -> Any:
    """Optuna, quiet. Raises :class:`~maxcode.errors.ToolError` where it is missing."""
    try:
        optuna = importlib.import_module("optuna")
    except ImportError as error:
        raise ToolError(
            "this many values are searched with Optuna, which is not installed; install "
            "maxcode[tune], declare fewer values, or try all of them with tune:grid=N"
        ) from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def _paths(task: Task) -> tuple[str, ...]:
    return task.editable or tuple(task.baseline.files)


def _summary(tunable: Tunable, point: Point) -> str:
    """The values other than the program's."""
    changed = [
        f"{one.name}={value}"
        for one, old, value in zip(tunable.parameters, tunable.values, point, strict=True)
        if old != value
    ]
    return ", ".join(changed) or "the same values, written otherwise"


_HINT = (
    "Other values of the parameters that your program declares are tried for you. Declare the "
    "sizes of blocks and tiles, factors of unrolling, thresholds and the like, each with values "
    "that are all correct; do not guess the best one."
)
_CPP = (
    "Put the values behind the definition: `#define TILE 16  // tune: 8 16 32 64`, or `constexpr "
    "int unroll = 4;  // tune: 1..8`, or `8..1024 x2` for powers. A line "
    "`// tune-if: TILE * unroll <= 256` leaves out the rest."
)
_PYTHON = (
    "Put the values behind the definition: `BLOCK = 32  # tune: 16 32 64`, or `8..1024 x2` for "
    "powers. A line `# tune-if: BLOCK * WARPS <= 1024` leaves out the rest. In C++ or CUDA code "
    "inside a string: `#define TILE 16  // tune: 8 16 32 64`."
)
