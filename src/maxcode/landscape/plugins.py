"""The generator, the executor and the critic of simulated landscapes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log
from random import Random
from statistics import fmean

from maxcode.errors import CriticError, GeneratorError, InputError, TaskError
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Critique,
    Evaluation,
    Interval,
    Measurement,
    Status,
    Trial,
)
from maxcode.interfaces import Critic, Executor, Generator, Proposal
from maxcode.landscape.terrain import Landscape, Move, Point, Space
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tree import Step

_GAINED, _UNKNOWN = 4.0, 1.0


class Lessons:
    """Promise of each move after the shown steps, by their changes.

    A move that failed, or made programs slower, has no weight; a faster move has four times the
    weight of an untried move.
    """

    def __init__(self, task: Landscape, steps: Iterable[Step]) -> None:
        known = {step.id: step for step in steps}
        points = {step.id: point for step in known.values() if (point := _point_of(task, step))}
        passed = {
            move
            for i, point in points.items()
            if known[i].evaluation.ok
            for move in _moves_of(point)
        }
        self._failed: set[Move] = set()
        self._gains: defaultdict[Move, list[float]] = defaultdict(list)
        for step in known.values():
            if step.parent not in points or step.id not in points or step.parent is None:
                continue
            parent = known[step.parent]
            moves = _moves_of(points[step.id]) - _moves_of(points[parent.id])
            if not step.evaluation.ok:
                named = task.sites_in(step.evaluation.feedback)
                suspects = moves - passed
                self._failed |= {move for move in suspects if move[0] in named} or suspects
            elif parent.reward > 0:
                for move in moves:
                    self._gains[move].append(log(step.reward / parent.reward))

    def weight(self, move: Move) -> float:
        """How often to draw the move, relative to others."""
        if move in self._failed:
            return 0.0
        if move not in self._gains:
            return _UNKNOWN
        return _GAINED if fmean(self._gains[move]) > 0 else 0.0


def _moves_of(point: Point) -> set[Move]:
    return set(enumerate(point))


def _point_of(task: Landscape, step: Step) -> Point | None:
    """The step's point; None if its program says none."""
    try:
        return task.read(step.program)
    except InputError:
        return None


class LandscapeGenerator(Generator):
    """Changes a site or a few of the step to improve, and uses what it is shown, by chance.

    * ``trajectory``: the chance to draw changes by the lessons of the attempts shown
    * ``critique``: the chance to make the first change at a site that the step's critique names
    * ``best``: the chance to begin with a cross of the step and the best program so far, or an
      exemplar that passed
    * ``further``: the chance of another change, after each

    Each proposal draws for the three by themselves; what is not shown cannot be used. With all
    three at 0 proposals are the same whatever is shown. ``tags`` name what was used.
    """

    trusted = True  # nothing is run

    def __init__(
        self,
        trajectory: float = 0.5,
        critique: float = 0.5,
        best: float = 0.5,
        further: float = 0.3,
    ) -> None:
        self.trajectory, self.critique, self.best = trajectory, critique, best
        self.further = further
        for name, chance in {**self.chances, "further": further}.items():
            if not 0 <= chance <= 1:
                raise InputError(f"landscape generator: {name} lies in [0, 1], not at {chance}")

    @property
    def chances(self) -> dict[str, float]:
        """The chance to use each shown part."""
        return {"trajectory": self.trajectory, "critique": self.critique, "best": self.best}

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """``n`` points near the point to improve. Raises :class:`GeneratorError` for other
        tasks."""
        task = observation.task
        if not isinstance(task, Landscape):
            raise GeneratorError(f"task {task.name!r} is no landscape; take another generator")
        rng, shown = Random(observation.seed), _Shown.of(task, observation)
        return [self._proposal(task, shown, rng) for _ in range(n)]

    def _proposal(self, task: Landscape, shown: _Shown, rng: Random) -> Proposal:
        used = {name for name, chance in self.chances.items() if rng.random() < chance}
        used = {name for name in used if getattr(shown, name)}
        point = shown.point
        if "best" in used:
            point = _crossed(rng.choice(shown.best), point, rng)
        lessons = shown.trajectory if "trajectory" in used else None
        untouched = set(range(len(point)))
        sites = shown.critique if "critique" in used else untouched
        while untouched:
            moves = _moves(task, point, sorted(untouched & sites or untouched))
            site, choice = _drawn(moves, lessons, rng)
            point = (*point[:site], choice, *point[site + 1 :])
            untouched.remove(site)
            sites = untouched
            if rng.random() >= self.further:
                break
        return Proposal(task.write(point), _summary(shown.point, point), tuple(sorted(used)))


@dataclass(frozen=True)
class _Shown:
    """Parts of an observation, read as points and sites; empty where nothing is shown."""

    point: Point
    trajectory: Lessons | None
    critique: set[int]
    best: list[Point]

    @classmethod
    def of(cls, task: Landscape, observation: Observation) -> _Shown:
        point = _point_of(task, observation.step) or task.terrain.origin
        path = observation.trajectory.steps if observation.trajectory else ()
        attempts = (*path, *observation.attempts)
        others = [step for step in observation.exemplars if step.evaluation.ok]
        others += [observation.best] if observation.best else []
        mates = [_point_of(task, step) or task.terrain.origin for step in others]
        critique = observation.step.critique
        return cls(
            point,
            Lessons(task, attempts) if len(attempts) > 1 else None,
            task.sites_in(critique.text) if critique else set(),
            [mate for mate in mates if mate != point],
        )


def _crossed(mate: Point, point: Point, rng: Random) -> Point:
    """The mate, but for a stretch: neighbours interact, so they stay together."""
    first, last = sorted(rng.sample(range(len(mate) + 1), 2))
    return mate[:first] + point[first:last] + mate[last:]


def _moves(task: Landscape, point: Point, sites: list[int]) -> list[Move]:
    return [
        (site, choice)
        for site in sites
        for choice in range(task.terrain.shape[site])
        if choice != point[site]
    ]


def _drawn(moves: list[Move], lessons: Lessons | None, rng: Random) -> Move:
    """A random move, by its weight if lessons leave any."""
    weights = [lessons.weight(move) for move in moves] if lessons else [1.0]
    if not lessons or not any(weights):
        return rng.choice(moves)
    return rng.choices(moves, weights)[0]


def _summary(before: Point, after: Point) -> str:
    changes = [
        f"site {site}: {old} to {new}"
        for site, (old, new) in enumerate(zip(before, after, strict=True))
        if old != new
    ]
    return ", ".join(changes)


# The two levels of the shipped executors, with the quantiles of the normal distribution that make
# them. A comparison takes four times the samples, so its noise is half that of a score.
_SCORED, _COMPARED = (0.95, 1.960), (0.9995, 3.481)
_COMPARED_NOISE = 0.5


class LandscapeExecutor(Executor):
    """Judges programs of a :class:`Landscape` by a formula; no time passes and nothing is run.

    A score is the true speedup times ``exp(noise * z)``, where z is standard normal and drawn from
    ``seed`` and the program; a comparison draws from both programs instead. So the same call always
    gives the same answer, and luck in a score does not help in the comparison.
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

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
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

    def try_out(self, task: Task, program: Program, *, quick: bool) -> Trial:  # noqa: ARG002
        """Whether the program fails, and how."""
        return Trial(*(_landscape(task).failure(program) or (Status.OK,)))

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
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


class LandscapeCritic(Critic):
    """Names the ``names`` sites of a program where a single change gains most.

    Of a failing program it names the site of the failure. Each site is right with probability
    ``accuracy``, and else drawn at random.
    """

    def __init__(self, accuracy: float = 0.8, names: int = 3) -> None:
        if not 0 <= accuracy <= 1 or names < 1:
            raise InputError(
                f"landscape critic: accuracy lies in [0, 1] and names is at least 1, "
                f"not {accuracy} and {names}"
            )
        self.accuracy = accuracy
        self.names = names

    def critique(self, observation: Observation, step: Step) -> Critique:
        """The sites to change, by their numbers."""
        task = observation.task
        if not isinstance(task, Landscape):
            raise CriticError(f"task {task.name!r} is no landscape; take another critic")
        try:
            point = task.read(step.program)
        except InputError as error:
            return Critique(str(error), "build")
        rng = Random(f"{observation.seed}:{step.program.digest}")
        right = self._right(task.terrain, point)
        sites = [s if rng.random() < self.accuracy else rng.randrange(len(point)) for s in right]
        named = tuple(f"change site {site}" for site in dict.fromkeys(sites))
        return Critique(f"To make it faster, {', or '.join(named)}.", suggestions=named)

    def _right(self, terrain: Space, point: Point) -> list[int]:
        failure = terrain.failure(point)
        if failure and failure[0] is not None:
            return [failure[0]]
        gains = _gains(terrain, point)
        return sorted(gains, key=lambda site: -gains[site])[: self.names]


def _gains(terrain: Space, point: Point) -> dict[int, float]:
    """The most that a single change gains at each site."""
    return {n: max(terrain.gains(point, n).values(), default=0.0) for n in range(len(point))}


class LandscapeAdversary(LandscapeCritic):
    """Names the sites where a single change gains least, and never the site of a failure."""

    def _right(self, terrain: Space, point: Point) -> list[int]:
        failure = terrain.failure(point)
        gains = _gains(terrain, point)
        if failure and failure[0] is not None:
            del gains[failure[0]]
        return sorted(gains, key=gains.__getitem__)[: self.names]
