"""The methods of a comparison, from ``--policy``, ``--reward-to-go`` and ``--ablate``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

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
from maxcode.cli.search_commands import CompareArgs
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

_UNNAMED = "rtg"
_NAME = r"[A-Za-z_][\w-]*"  # no number: policies have such as x=1e+5
_RANKED = re.compile(rf"(.+)\+({_NAME})")
_NAMED = re.compile(rf"({_NAME})=(.+)")
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
    models = _models(request, model_config)
    texts = request.policy or ["maxcode", *(f"maxcode+{name}" for name in models)]
    methods = [_with_own(text, settings, models, model_config) for text in texts]
    taking = [method.reward_to_go for method in methods]
    if idle := [name for name, (_, model) in models.items() if model not in taking]:
        raise InputError(
            f"no --policy takes the reward-to-go model {idle[0]!r}; one does if it is written like "
            f"maxcode+{idle[0]}"
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


_Models = dict[str, tuple[str, RewardToGo]]
"""Reward-to-go models by name, each with its identifying text."""


def _models(request: CompareArgs, model_config: ModelConfig) -> _Models:
    """Models from ``[NAME=]MODEL``; a saved model is identified by its contents."""
    found: _Models = {}
    for text in request.reward_to_go or ():
        match = _NAMED.fullmatch(text)
        name, named = (match[1], match[2]) if match else (_UNNAMED, text)
        if name in found:
            raise InputError(
                f"two reward-to-go models are called {name!r}; tell them apart: "
                "--reward-to-go one=MODEL --reward-to-go other=MODEL"
            )
        if model := make_reward_to_go(named, model_config):
            source = "" if Path(named).is_dir() else with_absolute_paths(named)
            found[name] = (f"{source} {saved_identity(named)}".strip(), model)
    return found


def _with_own(text: str, settings: str, models: _Models, model_config: ModelConfig) -> Method:
    """A method with its own plug-ins: ``cuda-llm@all@critic=profile@generator=rewrite``.

    With its own critic the generator is shown critiques, too.
    """
    first, *parts = _OWN.split(text)
    method, switches = _method(first, settings, models), first.partition("@")[2]
    for part in parts:
        role, _, named = part.partition("=")
        plugin: Generator | Critic | None
        if role == "generator":
            plugin = generator = make_generator(named, model_config)
            method = replace(method, generator=generator)
        elif role == "critic":
            plugin = critic = make_critic(named, model_config)
            if switches and method.switches.critique != (critic is not None):
                raise InputError(f"--policy {text}: {switches} and {part} do not go together")
            shown = replace(method.switches, critique=critic is not None)
            method = replace(method, critic=critic, observe=shown)
        else:
            raise InputError(
                f"--policy {text}: cannot read @{role}=; a method may have plug-ins of its own as "
                "@critic=NAME and @generator=NAME"
            )
        lacking = _undescribed(named, plugin)
        settings = f"{method.settings}, own {role}={lacking}" if lacking else method.settings
        method = replace(method, name=f"{method.name}@{part}", settings=settings)
    return method


def _method(text: str, settings: str, models: _Models) -> Method:
    """A method from policy, reward-to-go model and switches: ``maxcode+rtg@trajectory,best``."""
    name, at, shown = text.partition("@")
    match = _RANKED.fullmatch(name)
    policy, model_name = match.groups() if match else (name, None)
    method = Method(name, make_policy(policy), settings=settings)
    if model_name:
        if model_name not in models:
            raise InputError(
                f"--policy {text}: there is no reward-to-go model {model_name!r}; add "
                f"--reward-to-go {model_name}=MODEL"
            )
        identity, model = models[model_name]
        settings = f"{settings}, reward_to_go={identity}"
        method = replace(method, reward_to_go=model, settings=settings)
    check_estimates(method.policy, models[model_name][1] if model_name else None)
    return observing(method, Observe.parse(shown)) if at else method
