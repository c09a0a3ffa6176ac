"""The methods of a comparison, from ``--policy``, ``--reward-to-go`` and ``--ablate``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from maxcode.cli.commands import CompareArgs
from maxcode.cli.models import ModelConfig
from maxcode.cli.plugins import (
    check_estimates,
    make_critic,
    make_generator,
    make_policy,
    make_reward_to_go,
    saved_identity,
    with_absolute_paths,
)
from maxcode.comparison.method import (
    CONTROL,
    UNKNOWN,
    Method,
    ablation,
    described,
    is_control,
    observing,
)
from maxcode.errors import InputError
from maxcode.interfaces import Critic, Generator, RewardToGo
from maxcode.observation import Observe
from maxcode.policies.best_of_n import BestOfN

_RANKED = "+rtg"
_OWN = re.compile(r"@(?=[a-z_-]+=)")


def methods_of(
    request: CompareArgs, model_config: ModelConfig, generator: Generator, critic: Critic | None
) -> Sequence[Method]:
    """The named methods, or the methods of an ablation.

    ``generator`` and ``critic`` are shared and describe themselves; the user's words, which
    may be paths, identify them only where their description lacks something.
    """
    prompts = request.prompts or request.context
    described_by = {
        "generator": _undescribed(request.generator, generator),
        "critic": _undescribed(critic_of(request), critic),
        "prompts": model_config.templates.identity if prompts else "",
        "sandbox": request.sandbox,
    }
    settings = ", ".join(f"{name}={value}" for name, value in described_by.items() if value)
    model = make_reward_to_go(request.reward_to_go, model_config)
    texts = request.policy or ["maxcode", *[f"maxcode{_RANKED}"] * bool(model)]
    methods = [_method(text, settings, request, model, model_config) for text in texts]
    if model and model not in [method.reward_to_go for method in methods]:
        raise InputError(
            f"no --policy takes the reward-to-go model {request.reward_to_go!r}; one does if it is "
            f"written like maxcode{_RANKED}"
        )
    control = Method(CONTROL, BestOfN(), settings=settings)
    if not request.ablate:
        return methods if any(map(is_control, methods)) else [control, *methods]
    if len(methods) != 1 or methods[0].observe is not None:
        raise InputError("--ablate takes one --policy, without @: it sets what is shown")
    if request.critic == "none":
        raise InputError("--ablate switches critiques on and off, so there must be some: no none")
    return [control, *ablation(methods[0], request.ablate)]


def _undescribed(text: str, plugin: Generator | Critic | None) -> str:
    """The name of a plug-in whose description lacks some options; empty for others."""
    return text if f"={UNKNOWN}" in described(plugin) else ""


def critic_of(request: CompareArgs) -> str:
    """The named critic; without a name "none", or for an ablation the profile."""
    if request.critic is not None or not request.ablate:
        return request.critic or "none"
    return "landscape" if request.generator.partition(":")[0] == "landscape" else "profile"


def _method(
    text: str,
    settings: str,
    request: CompareArgs,
    model: RewardToGo | None,
    model_config: ModelConfig,
) -> Method:
    """A method from its text: policy, model, switches and plug-ins of its own.

    As in ``maxcode:k=4+rtg@trajectory,best@critic=profile@reward-to-go=random``.
    """
    first, *own = _OWN.split(text)
    name, at, shown = first.partition("@")
    method = Method(name, make_policy(name.removesuffix(_RANKED)), settings=settings)
    if name.endswith(_RANKED):
        if model is None:
            raise InputError(f"--policy {text}: there is no model; add --reward-to-go MODEL")
        method = _ranked(method, request.reward_to_go, model)
    method = observing(method, Observe.parse(shown)) if at else method
    for part in own:
        method = replace(_with_own(method, part, at, model_config), name=f"{method.name}@{part}")
    check_estimates(method.policy, ranked=method.reward_to_go is not None)
    return method


def _ranked(method: Method, text: str, model: RewardToGo | None) -> Method:
    """The method with a reward-to-go model; a saved one is identified by its contents."""
    source = "" if Path(text).is_dir() else with_absolute_paths(text)
    identity = f"{source} {saved_identity(text)}".strip()
    settings = f"{method.settings}, reward_to_go={identity}"
    return replace(method, reward_to_go=model, settings=settings)


_MAKERS: dict[str, Callable[[str, ModelConfig], Any]] = {
    "generator": make_generator,
    "critic": make_critic,
    "reward-to-go": make_reward_to_go,
}


def _with_own(method: Method, part: str, switches: str, model_config: ModelConfig) -> Method:
    """The method with a plug-in of its own, as in ``critic=profile``.

    With its own critic the generator is shown critiques, too.
    """
    role, _, named = part.partition("=")
    if role not in _MAKERS:
        some = ", ".join(f"@{one}=NAME" for one in _MAKERS)
        raise InputError(f"cannot read @{role}=; a method may have plug-ins of its own: {some}")
    plugin = _MAKERS[role](named, model_config)
    if role == "reward-to-go":
        return _ranked(method, named, plugin)
    if role == "critic":
        critique = plugin is not None
        if switches and method.switches.critique != critique:
            raise InputError(f"@{part} does not go together with @{method.switches.name}")
        method = replace(method, observe=replace(method.switches, critique=critique))
    lacking = _undescribed(named, plugin)
    settings = f"{method.settings}, own {role}={lacking}" if lacking else method.settings
    return replace(method, settings=settings, **{role: plugin})
