"""Methods: who takes part in a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import Enum
from inspect import signature
from itertools import product
from typing import TypeAlias, TypeVar

from maxcode.errors import InputError
from maxcode.interfaces import Critic, Executor, Generator, RewardToGo, SearchPolicy
from maxcode.observation import Observe
from maxcode.policies.best_of_n import BestOfN
from maxcode.task import Task

CONTROL = "best-of-n"
"""The name of direct sampling where the comparison adds it."""

_P = TypeVar("_P")

Made: TypeAlias = _P | AbstractContextManager[_P]
"""What a function makes for a run, and is closed after it if it can be."""

GeneratorFor = Generator | Callable[[Task], Made[Generator]]
ExecutorFor = Executor | Callable[[Task], Made[Executor]]
CriticFor = Critic | Callable[[Task], Made[Critic]]
RewardToGoFor = RewardToGo | Callable[[Task], Made[RewardToGo]]
"""A plug-in that all runs share, or what makes a new one for a task."""


@dataclass(frozen=True)
class Method:
    """A way to search that takes part in a comparison.

    ``name`` tells it from the others, in tables and in the store. ``observe`` says what its
    generator is shown; None leaves it to the policy. ``generator`` and ``critic`` are those of the
    comparison unless given. Each plug-in is an instance, which all runs share, or a function that
    makes a new one for a task; a policy keeps no state and is always shared. ``settings`` is
    whatever else decides what a run finds: a run is found again only if they are the same.
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
        """What its generator is shown."""
        return self.observe or self.policy.observe

    def identity(self) -> dict[str, str]:
        """What tells its runs from those of other methods, as far as it can be written down."""
        plugins = {
            "generator": self.generator,
            "critic": self.critic if self.switches.critique else None,
            "reward_to_go": self.reward_to_go,
        }
        return {
            "method": self.name,
            "policy": _configured(self.policy),
            "observe": str(self.switches),
            "settings": self.settings,
            **{role: title(plugin) for role, plugin in plugins.items() if plugin is not None},
        }


def is_control(method: Method) -> bool:
    """Whether it is direct sampling until the budget ends."""
    return isinstance(method.policy, BestOfN) and method.policy.n is None


def with_control(methods: Sequence[Method]) -> tuple[Method, ...]:
    """The methods, and best-of-N with the first one's generator if none of them is the control."""
    if not methods:
        raise InputError("there is no method to compare")
    if any(map(is_control, methods)):
        return tuple(methods)
    first = methods[0]
    control = Method(CONTROL, BestOfN(), generator=first.generator, settings=first.settings)
    return (control, *methods)


def ablation(method: Method) -> tuple[Method, ...]:
    """The method with each of the eight combinations of the three switches of :class:`Observe`."""
    every = [Observe(*switches) for switches in product((False, True), repeat=3)]
    every.sort(key=lambda one: sum((one.trajectory, one.critique, one.best)))
    return tuple(observing(method, one) for one in every)


def observing(method: Method, observe: Observe) -> Method:
    """The method with these switches, which its name tells, as in ``maxcode@best``."""
    told = "all" if observe == Observe() else str(observe)
    return replace(method, name=f"{method.name}@{told}", observe=observe)


def title(plugin: object) -> str:
    """The name of a plug-in's class, or of the function that makes it."""
    named = plugin if hasattr(plugin, "__qualname__") else type(plugin)
    return str(named.__qualname__)


def _configured(policy: SearchPolicy) -> str:
    """A policy with its options: those attributes that its constructor has parameters for."""
    options = []
    for name in signature(type(policy)).parameters:
        value = getattr(policy, name, getattr(policy, f"_{name}", None))
        if isinstance(value, (str, int, float, bool, tuple, Enum, type(None))):
            options.append(f"{name}={value!r}")
    return f"{title(policy)}({', '.join(options)})"
