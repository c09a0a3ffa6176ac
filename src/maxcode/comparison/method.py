"""Methods, and plans of their runs: the methods, tasks and seeds of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from hashlib import sha256
from importlib.metadata import version
from inspect import getsource, signature
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic import JsonValue

from maxcode.budget import Budget
from maxcode.errors import InputError
from maxcode.interfaces import Critic, Executor, Generator, RewardToGo, SearchPolicy
from maxcode.observation import Design, Observe
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.plugins import RETRIES
from maxcode.task import Task

CONTROL = "best-of-n"
"""Name of direct sampling where the comparison adds it."""

UNKNOWN = "?"
"""Placeholder for an option whose value cannot be read."""

_RENAMED = "maxcode-greedy", "maxcode"
"""Present name of a policy, and its former name, by which earlier runs are found."""

_P = TypeVar("_P")

Made: TypeAlias = _P | AbstractContextManager[_P]
"""Makers of a run's plug-ins, which are closed after it if they can be."""

GeneratorFor = Generator | Callable[[Task], Made[Generator]]
"""Generator shared by all runs, or a function making a generator for a task."""

ExecutorFor = Executor | Callable[[Task], Made[Executor]]
"""Executor shared by all runs, or a function making an executor for a task."""

CriticFor = Critic | Callable[[Task], Made[Critic]]
"""Critic shared by all runs, or a function making a critic for a task."""

RewardToGoFor = RewardToGo | Callable[[Task], Made[RewardToGo]]
"""Reward-to-go model shared by all runs, or a function making a model for a task."""


@dataclass(frozen=True)
class Method:
    """A way to search that takes part in a comparison.

    ``name`` is its own, in tables and in the store. ``observe`` is the observation of its
    generator; None leaves it to the policy. ``generator`` and ``critic`` are the comparison's
    unless given. Each plug-in is an instance, which all runs share, or a function making a new
    plug-in for a task; a policy keeps no state and is always shared. ``settings`` holds all further
    settings that decide a run's result: a run is found again only if they are the same.
    """

    name: str
    policy: SearchPolicy
    observe: Observe | None = None
    generator: GeneratorFor | None = None
    critic: CriticFor | None = None
    reward_to_go: RewardToGoFor | None = None
    settings: str = ""

    @property
    def switches(self) -> Observe:
        """Switches of its generator's observations."""
        return self.observe or self.policy.observe

    def identity(self) -> dict[str, str]:
        """Facts that distinguish its runs from other methods', as far as these can be written."""
        switches = self.switches
        own = type(self.policy).__module__.startswith("maxcode.")  # ours ask for no critique
        critic = self.critic if switches.critique or not own else None
        # Once the profile went with critiques; runs of before are found by what they were shown.
        apart = switches.profile != (critic is not None)
        profile = {"profile": "shown" if switches.profile else "hidden"} if apart else {}
        plugins = {
            "generator": self.generator,
            "critic": critic,
            "reward_to_go": self.reward_to_go,
        }
        return {
            "method": self.name.replace(*_RENAMED),
            "policy": described(self.policy),
            "observe": str(replace(switches, profile=False)),
            **profile,
            "settings": self.settings,
            **{role: described(plugin) for role, plugin in plugins.items() if plugin is not None},
        }


def is_control(method: Method) -> bool:
    """Whether it is direct sampling until the budget ends, with an empty observation.

    All of its proposals are run.
    """
    policy = method.policy
    plain = type(policy) is BestOfN and policy.n is None and method.reward_to_go is None
    return plain and method.switches == Observe.nothing()


def with_control(methods: Sequence[Method]) -> tuple[Method, ...]:
    """Methods, and best-of-N with the first one's generator unless the control is among them."""
    if not methods:
        raise InputError("there is no method to compare")
    if any(map(is_control, methods)):
        return tuple(methods)
    if any(method.name == CONTROL for method in methods):
        raise InputError(
            f"the method called {CONTROL!r} is shown something or stops by itself, so best-of-N is "
            "added under that name; call yours something else"
        )
    first = methods[0]
    control = Method(CONTROL, BestOfN(), generator=first.generator, settings=first.settings)
    return (control, *methods)


def ablation(method: Method, design: Design = "all") -> tuple[Method, ...]:
    """Method with combinations of the switches of :class:`Observe`.

    The design "all" has all sixteen. "maxcode" is the paper's table, five arms: none, the paper's
    three, and the three with critique, best and trajectory each switched off in turn; the profile
    is off in all of them.
    """
    if design == "maxcode":
        three = Observe.maxcode()
        without = [replace(three, **{name: False}) for name in ("critique", "best", "trajectory")]
        return tuple(observing(method, one) for one in (Observe.nothing(), *without, three))
    names = [field.name for field in fields(Observe)]
    settings = sorted(product((False, True), repeat=len(names)), key=sum)
    every = [Observe(**dict(zip(names, one, strict=True))) for one in settings]
    return tuple(observing(method, one) for one in every)


def observing(method: Method, observe: Observe) -> Method:
    """Method with these switches, which its name says, as in ``maxcode@best``."""
    return replace(method, name=f"{method.name}@{observe.name}", observe=observe)


def title(plugin: object) -> str:
    """Name of a plug-in's class, or of the function making it."""
    named = plugin if hasattr(plugin, "__qualname__") else type(plugin)
    return str(named.__qualname__)


def described(plugin: object) -> str:
    """A plug-in's class with its options, or the function making it.

    Options are the attributes named like parameters of the constructor; a question mark stands for
    a missing attribute. An attribute ``identity``, a text, takes the place of all of them: a
    folder's contents say more than its path. Foreign code has its version named by a digest.
    """
    if isinstance(plugin, (str, int, float, Enum, type(None))):
        return repr(plugin)
    if isinstance(plugin, Path):
        return repr(str(plugin.absolute()))
    if isinstance(plugin, (tuple, list)):
        return f"[{', '.join(map(described, plugin))}]"
    if isinstance(plugin, dict):
        return described([(key, plugin[key]) for key in sorted(plugin, key=str)])
    if hasattr(plugin, "__qualname__"):
        return f"{title(plugin)}{_version_of(plugin)}"
    return f"{title(plugin)}({_options(plugin)}){_version_of(type(plugin))}"


def _options(plugin: object) -> str:
    if isinstance(identity := getattr(plugin, "identity", None), str):
        return identity
    try:
        names = signature(type(plugin)).parameters
    except ValueError:  # what is built in, such as a pattern, may have none
        return f"={UNKNOWN}"
    values = {name: getattr(plugin, name, getattr(plugin, f"_{name}", ...)) for name in names}
    return ", ".join(
        f"{name}={UNKNOWN if value is ... else described(value)}" for name, value in values.items()
    )


def _version_of(code: Any) -> str:
    """A digest of a class's or function's source; empty for ours, which have a version."""
    if code.__module__.partition(".")[0] in ("maxcode", "builtins"):
        return ""
    try:
        return " " + sha256(getsource(code).encode()).hexdigest()[:12]
    except (OSError, TypeError):
        return ""  # it was typed in somewhere


RECIPE = "comparison"
"""Key of the cell's description in a run's recipe."""
METHOD = "method"
"""Key of the method's present name there."""


@dataclass(frozen=True)
class Cell:
    """One run: a method on a task with a seed."""

    method: Method
    task: Task
    seed: int


@dataclass(frozen=True)
class Plan:
    """Methods x tasks x seeds at one budget. Raises :class:`InputError` for an unfair plan.

    ``seeds`` are the seeds of the runs: the same seed gives every method the same random numbers.
    ``options`` hold for every run, but for the seed and the observation.
    """

    methods: tuple[Method, ...]
    tasks: tuple[Task, ...]
    executor: ExecutorFor
    budget: Budget
    seeds: tuple[int, ...]
    options: Options = field(default_factory=Options)

    def __post_init__(self) -> None:
        _check_distinct("method", (method.name for method in self.methods))
        _check_distinct("task", (task.name for task in self.tasks))
        _check_distinct("seed", map(str, self.seeds))
        if self.budget == Budget():
            raise InputError("methods are compared at an equal budget, so it must limit something")
        for method in self.methods:
            _check_identity(method)
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
    ) -> Plan:
        """Plan with best-of-N among the methods, and with their shared plug-ins filled in.

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
            options=options or Options(fuzz=0),
        )

    def cells(self) -> Iterator[Cell]:
        """Every run, seed by seed and task by task.

        So the methods follow one another, and a machine changing in the course of hours does so for
        all of them.
        """
        for seed, task, method in product(self.seeds, self.tasks, self.methods):
            yield Cell(method, task, seed)

    def recipe(self, cell: Cell) -> dict[str, JsonValue]:
        """Key of a run of the cell: equal for two runs of equal results."""
        own = self.options
        shared = (own.gamma, own.in_flight or 1, own.attempts, RETRIES, own.patience)
        ranking = (own.propose, own.run, own.explore, own.guard) if cell.method.reward_to_go else ()
        fuzz = (f"fuzz={own.fuzz}",) if own.fuzz else ()  # runs of before it was there are found
        return {
            **cell.method.identity(),
            "executor": described(self.executor),
            "version": version("maxcode"),
            "task": cell.task.digest,
            "seed": cell.seed,
            "budget": str(self.budget),
            "options": ",".join(map(str, (*shared, *ranking, *fuzz))),
        }

    def options_of(self, cell: Cell) -> Options:
        """Options of a cell's search."""
        return replace(
            self.options,
            seed=cell.seed,
            observe=cell.method.switches,
            minimise=0.0,  # methods are compared at an equal budget
            recipe={RECIPE: self.recipe(cell), METHOD: cell.method.name},
        )


def _check_identity(method: Method) -> None:
    """Raise for hidden options: runs are found again by options, so all have to be known."""
    parts = method.identity().values()
    if hidden := [one for one in parts if f"={UNKNOWN}" in one and not method.settings]:
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
        raise InputError(f"two {kind}s are called {twice[0]!r}: their names must differ")
