"""Which tuned parameters mattered: how much of the differences in speed each explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from maxcode.errors import InputError
from maxcode.generators.parameters import Parameter, Point, Tunable, read
from maxcode.journal.state import RunState
from maxcode.text import counted, percent
from maxcode.tree import SearchTree

_TAG = "tune"
_FREE = 4  # degrees of freedom that have to be left for the error
_CURVED = 3  # values from which on a number counts by its place and the square of that

Rewards = dict[Point, float]


@dataclass(frozen=True, slots=True)
class Importance:
    """The share (0 to 1) of the variance of log speedup that each parameter explains.

    The largest comes first. What is left of 1 is due to parameters together, and to noise.
    ``points`` is how many were measured.
    """

    shares: dict[str, float]
    points: int


def importance(tree: SearchTree) -> Importance | None:
    """That of the program tuned most; None where none was, or too few of its points passed.

    Effects are additive: a number counts by its place among the values and, with more than two,
    the square of that, any other value for itself. A parameter's share is omega squared of what it
    adds to all others: (its sum of squares - its degrees of freedom x mean square error) / (total
    sum of squares + mean square error), 0 at least (Hays, Statistics, 1963).
    """
    spaces: dict[str, tuple[Tunable, Rewards]] = {}
    tuned = {step.parent for step in tree if _TAG in step.tags}
    for step in tree:
        if not step.evaluation.ok or not (_TAG in step.tags or step.id in tuned):
            continue
        try:
            space = read(step.program, step.program.files)
        except InputError:
            continue
        if space is not None:
            spaces.setdefault(space.skeleton, (space, {}))[1][space.values] = step.reward
    if not spaces:
        return None
    space, rewards = max(spaces.values(), key=lambda one: len(one[1]))
    return _analysed(space.parameters, rewards)


def tuning_facts(state: RunState) -> list[tuple[str, str]]:
    """The shares in a line, under a name; empty where they are not known."""
    found = importance(state.tree) if state.has_tree else None
    if found is None:
        return []
    first, *others = [f"{name} {percent(share)}" for name, share in found.shares.items()]
    first = first.replace(" ", " explains ", 1)
    measured = counted(found.points, "point")
    return [("tuning", f"{', '.join([first, *others])} of the differences among {measured}")]


def _analysed(parameters: Sequence[Parameter], rewards: Rewards) -> Importance | None:
    points = [
        point
        for point in rewards
        if all(value in one.values for one, value in zip(parameters, point, strict=True))
    ]
    effects = {
        one.name: columns
        for number, one in enumerate(parameters)
        if (columns := _columns(one, [point[number] for point in points]))
    }
    left = len(points) - 1 - sum(len(columns) for columns in effects.values())
    if not effects or left < _FREE:
        return None
    import numpy as np  # noqa: PLC0415 - only tuned runs need it

    speeds = np.array([log(rewards[point]) for point in points])

    def error(names: Sequence[str]) -> float:
        """The sum of squares that these parameters leave."""
        columns = [[1.0] * len(points), *(column for name in names for column in effects[name])]
        matrix = np.array(columns).T
        fitted = matrix @ np.linalg.lstsq(matrix, speeds, rcond=None)[0]
        return float(((speeds - fitted) ** 2).sum())

    names = list(effects)
    total, least = error([]), error(names)
    if total <= 0:
        return None
    mean = least / left
    shares = {
        name: max(0.0, error([n for n in names if n != name]) - least - len(effects[name]) * mean)
        / (total + mean)
        for name in names
    }
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    return Importance(dict(ranked), len(points))


def _columns(parameter: Parameter, values: Sequence[str]) -> list[list[float]]:
    """What stands for a parameter in the model; nothing where it had but one value."""
    seen = [value for value in parameter.values if value in values]
    if len(seen) < 2:
        return []
    if not parameter.ordered or len(seen) < _CURVED:
        return [[float(value == one) for value in values] for one in seen[1:]]
    places = [parameter.values.index(value) for value in values]
    return [[float(place) for place in places], [float(place**2) for place in places]]
