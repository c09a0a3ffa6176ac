"""Mixture: several generators, by weights or by gains."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from random import Random

from maxcode.budget import FREE, Cost
from maxcode.errors import InputError
from maxcode.interfaces import Generator, Proposal
from maxcode.models.base import Model
from maxcode.observation import Observation
from maxcode.search.summary import BY, answers_of, hopeless
from maxcode.tree import Step

_MIN_COST = 0.1  # of the dearest step


class Mixture(Generator):
    """Shares proposals out among generators.

    Each proposal is drawn for a generator: in proportion to ``weights``, or without them by
    budgeted Thompson sampling (Xia, Li, Qin, Yu, Liu, IJCAI 2015): a rate of success and a cost are
    drawn from the Beta posteriors of each, and the highest ratio wins. A success is a step faster
    than all before it. Costs are dollars, or tokens if no step has dollars, relative to the dearest
    step and at least a tenth, for judging is never free. No state is kept but the warnings given.

    Others are asked in place of a free generator without ideas. A generator whose last answers were
    hopeless (:func:`~maxcode.search.summary.hopeless`) is asked no more, with a warning. Names are
    by default those of models or classes, and proposals carry the tag ``by:NAME``. Raises
    :class:`~maxcode.errors.InputError` without generators, and for weights that do not fit.
    """

    def __init__(
        self,
        generators: Mapping[str, Generator] | Sequence[Generator],
        weights: Sequence[float] | None = None,
    ) -> None:
        self.generators = dict(
            generators
            if isinstance(generators, Mapping)
            else zip(_names(generators), generators, strict=True)
        )
        if not self.generators:
            raise InputError("a mixture needs at least one generator")
        names = list(self.generators)
        fit = weights is None or (len(weights) == len(names) and all(one > 0 for one in weights))
        if not fit:
            raise InputError(f"a mixture of {names} needs a weight above 0 for each, not {weights}")
        self.weights = dict(zip(names, weights, strict=True)) if weights is not None else None
        self.trusted = all(generator.trusted for generator in self.generators.values())
        self._ended: set[str] = set()  # those of which it was said

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """``n`` proposals of the generators drawn for them; each generator is asked once.

        Free generators make up for the lack of those before them, and a paid one for all of them.
        """
        shares = self.shares(observation, n)
        observation = self.hinted(observation)
        free, paid = self._parted(shares, observation)
        proposals: list[Proposal] = []
        if paid.total() < n:
            for name in sorted(free, key=lambda name: name not in shares):
                if wanted := shares.get(name) or n - len(proposals) - paid.total():
                    proposals += self._ask(name, wanted, observation)
            self._add_lacking(paid, free, n - len(proposals))
        with ThreadPoolExecutor(len(paid) or 1) as pool:  # they wait for networks
            found = pool.map(lambda name: self._ask(name, paid[name], observation), paid)
            return proposals + [proposal for answers in found for proposal in answers]

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        """The cost of the drawn generators, and of a paid one that makes up for free ones."""
        shares = self.shares(observation, n)
        observation = self.hinted(observation)
        free, paid = self._parted(shares, observation)
        if paid.total() < n:
            self._add_lacking(paid, free, n)
        costs = (self.generators[name].cost_ceiling(observation, k) for name, k in paid.items())
        return sum(costs, FREE)

    def _parted(
        self, shares: Mapping[str, int], observation: Observation
    ) -> tuple[list[str], Counter[str]]:
        """The generators in use without cost, and the shares of the others."""
        names = self.in_use(observation)
        costs = {name: self.generators[name].cost_ceiling(observation, 1) for name in names}
        free = [name for name in names if costs[name] == FREE]
        return free, Counter({name: k for name, k in shares.items() if name not in free})

    def _add_lacking(self, paid: Counter[str], free: Sequence[str], lacking: int) -> None:
        """Ask the missing proposals of a paid generator, which never lacks ideas."""
        others = [name for name in self.generators if name not in free and name not in self._ended]
        for name in [*paid, *others][:1]:
            paid[name] += lacking - paid.total()
        paid += Counter()

    def hinted(self, observation: Observation) -> Observation:
        """The observation as its generators see it.

        It has the generators' hints for language models, and no tags of this mixture: a generator
        knows its own steps by its own tags.
        """
        ours = {f"{BY}{name}" for name in self.generators}

        def own(step: Step) -> Step:
            return replace(step, tags=tuple(tag for tag in step.tags if tag not in ours))

        hints = [one.hint(observation.task) for one in self.generators.values()]
        known = tuple(filter(None, [*observation.hints, *hints]))
        return replace(observation.with_steps(own), hints=known)

    def stop(self) -> None:
        """Stop all of them."""
        for generator in self.generators.values():
            generator.stop()

    def shares(self, observation: Observation, n: int) -> dict[str, int]:
        """Share of each generator in ``n`` proposals, without empty shares."""
        rng = Random(f"{observation.seed} mixture")
        names = self.in_use(observation)
        if not names:
            return {}
        if self.weights is not None:
            drawn = rng.choices(names, [self.weights[name] for name in names], k=n)
        else:
            records = _records(names, observation)
            drawn = [max(names, key=lambda name: records[name].draw(rng)) for _ in range(n)]
        return {name: drawn.count(name) for name in names if name in drawn}

    def in_use(self, observation: Observation) -> list[str]:
        """The names of generators still asked."""
        history = list(observation.history)
        why = {name: hopeless(answers_of(history, name)) for name in self.generators}
        for name in [name for name, reason in why.items() if reason and name not in self._ended]:
            self._ended.add(name)
            warnings.warn(f"{name} is asked no more: {why[name]}", RuntimeWarning, stacklevel=2)
        return [name for name, reason in why.items() if not reason]

    def _ask(self, name: str, n: int, observation: Observation) -> list[Proposal]:
        proposals = self.generators[name].propose(observation, n)
        return [replace(one, tags=(*one.tags, f"{BY}{name}")) for one in proposals]


@dataclass(slots=True)
class _Record:
    """Achievements of a generator: Beta(1, 1) before any are known."""

    steps: int = 0
    successes: int = 0
    costs: float = 0.0  # in parts of the dearest step

    def draw(self, rng: Random) -> float:
        """Random successes per cost, by all observations."""
        rate = rng.betavariate(1 + self.successes, 1 + self.steps - self.successes)
        cost = rng.betavariate(1 + self.costs, 1 + self.steps - self.costs)
        return rate / max(cost, 1e-9)


def _records(names: Sequence[str], observation: Observation) -> dict[str, _Record]:
    """The generators' records before the observation, by the tags of the steps."""
    records = {name: _Record() for name in names}
    steps = list(observation.history)
    unit = "dollars" if any(step.cost.dollars for step in steps) else "tokens"
    prices = [float(getattr(step.cost, unit)) for step in steps]
    dearest = max(prices, default=0.0)
    best = 0.0
    for step, price in zip(steps, prices, strict=True):
        for name in (tag.removeprefix(BY) for tag in step.tags if tag.startswith(BY)):
            if name in records:
                record = records[name]
                record.steps += 1
                record.successes += step.reward > best
                record.costs += max(price / dearest, _MIN_COST) if dearest else 1.0
        best = max(best, step.reward)
    return records


def _names(generators: Sequence[Generator]) -> list[str]:
    """Names of generators, numbered where they repeat."""
    plain = [
        model.name
        if isinstance(model := getattr(one, "model", None), Model)
        else type(one).__name__
        for one in generators
    ]
    return [
        f"{name}#{plain[:index].count(name) + 1}" if plain.count(name) > 1 else name
        for index, name in enumerate(plain)
    ]
