"""The plan of a comparison: every run that has to be made, and how each is found again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version

from pydantic import JsonValue

from maxcode.budget import Budget
from maxcode.comparing.method import (
    UNKNOWN,
    CriticFor,
    ExecutorFor,
    GeneratorFor,
    Method,
    described,
    with_control,
)
from maxcode.errors import InputError
from maxcode.options import Options
from maxcode.task import Task

_SHARD = re.compile(r"(\d+)/(\d+)")

RECIPE = "comparison"
"""The key of a run's recipe under which its cell is described."""


@dataclass(frozen=True)
class Cell:
    """One run: a method on a task with a seed."""

    method: Method
    task: Task
    seed: int


@dataclass(frozen=True)
class Shard:
    """One of several parts of a plan; ``number`` counts from 1, and ``of`` says how many there are.

    A pair of a task and a seed is in one part with all methods, so that these meet on one machine.
    Raises :class:`InputError` for a part that there is not.
    """

    number: int = 1
    of: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise InputError(f"there is no part {self} of a plan; {self.of} parts count from 1")

    @classmethod
    def parse(cls, text: str) -> Shard:
        """``3/16``. Raises :class:`InputError`."""
        match = _SHARD.fullmatch(text.strip())
        if match is None:
            raise InputError(f"a part of a plan is written like 3/16, not {text!r}")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, pair: int) -> bool:
        """Whether the pair of that number, from 0 on, is in this part."""
        return pair % self.of == self.number - 1


@dataclass(frozen=True)
class Plan:
    """Methods x tasks x seeds at one budget. Raises :class:`InputError` for what is not fair.

    ``seeds`` are those of the runs: with the same one every method gets the same random numbers.
    ``options`` hold for every run, but for the seed and what is observed. Of all runs only those of
    ``shard`` are made; which part it was is no part of a run, so all parts together are the whole.
    """

    methods: tuple[Method, ...]
    tasks: tuple[Task, ...]
    executor: ExecutorFor
    budget: Budget
    seeds: tuple[int, ...]
    options: Options = field(default_factory=Options)
    shard: Shard = Shard()

    def __post_init__(self) -> None:
        _check_distinct("method", (method.name for method in self.methods))
        _check_distinct("task", (task.name for task in self.tasks))
        _check_distinct("seed", map(str, self.seeds))
        if self.budget == Budget():
            raise InputError("methods are compared at an equal budget, so it must limit something")
        for method in self.methods:
            _check_told(method)
        if lacking := [method.name for method in self.methods if method.generator is None]:
            raise InputError(f"method {lacking[0]!r} has no generator")

    @classmethod
    def fair(
        cls,
        methods: Sequence[Method],
        tasks: Sequence[Task],
        *,
        generator: GeneratorFor | None,
        executor: ExecutorFor,
        critic: CriticFor | None,
        seeds: int | Sequence[int],
        budget: Budget,
        options: Options | None = None,
        shard: Shard = Shard(),
    ) -> Plan:
        """The plan with best-of-N among the methods, and with what they all share filled in.

        So many ``seeds`` are 0, 1, 2 and so on.
        """
        filled = [
            replace(method, generator=method.generator or generator, critic=method.critic or critic)
            for method in methods
        ]
        return cls(
            methods=with_control(filled),
            tasks=tuple(tasks),
            executor=executor,
            budget=budget,
            seeds=tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds),
            options=options or Options(),
            shard=shard,
        )

    def cells(self) -> Iterator[Cell]:
        """Every run of the shard, seed by seed and task by task.

        So the methods follow one another, and a machine that changes in the course of hours does so
        for all of them.
        """
        pairs = [(task, seed) for seed in self.seeds for task in self.tasks]
        for number, (task, seed) in enumerate(pairs):
            if self.shard.holds(number):
                yield from (Cell(method, task, seed) for method in self.methods)

    def recipe(self, cell: Cell) -> dict[str, JsonValue]:
        """What a run of the cell is found by: equal for two that would find the same."""
        own = self.options
        shared = (own.gamma, own.in_flight, own.attempts, own.retries, own.patience)
        ranking = (own.propose, own.run, own.explore, own.guard) if cell.method.reward_to_go else ()
        return {
            **cell.method.identity(),
            "executor": described(self.executor),
            "version": version("maxcode"),
            "task": cell.task.digest,
            "seed": cell.seed,
            "budget": str(self.budget),
            "options": ",".join(map(str, (*shared, *ranking))),
        }

    def options_of(self, cell: Cell) -> Options:
        """How the search of a cell runs."""
        return replace(
            self.options,
            seed=cell.seed,
            observe=cell.method.switches,
            recipe={RECIPE: self.recipe(cell)},
        )


def _check_told(method: Method) -> None:
    """Runs are found again by what made them, so that has to be known."""
    told = method.identity().values()
    if hidden := [one for one in told if f"={UNKNOWN}" in one and not method.settings]:
        raise InputError(
            f"method {method.name!r}: runs with other options could not be told apart from its "
            f"own, as not all options are attributes of their names: {hidden[0]}. Name the "
            "attributes alike, or say in Method.settings what decides its runs"
        )


def _check_distinct(kind: str, names: Iterable[str]) -> None:
    counts = Counter(names)
    if not counts:
        raise InputError(f"there is no {kind} to compare by")
    if twice := [name for name, count in counts.items() if count > 1]:
        raise InputError(f"two {kind}s are called {twice[0]!r}; tell them apart by their names")
