"""Plug-ins from strings: ``maxcode:k=4,d=10``, ``anthropic:MODEL``, ``package.module:Class``."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType

from maxcode.cli.models import MODELS, ModelConfig, split_options
from maxcode.cli.parameters import (
    constructed,
    told,
)
from maxcode.critics.llm import LLMCritic
from maxcode.errors import InputError
from maxcode.generators.llm import ModelGenerator
from maxcode.generators.mixture import Mixture
from maxcode.generators.pool import PoolGenerator
from maxcode.generators.rewrite import RewriteGenerator
from maxcode.interfaces import Critic, Generator, RewardToGo, SearchPolicy
from maxcode.landscape.terrain import Landscape
from maxcode.policies.beam import Beam
from maxcode.reward_to_go.loading import load
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.openai import OpenAIRewardToGo, Window
from maxcode.reward_to_go.saved import FILE, Saved
from maxcode.task import Task

GENERATORS = {
    "pool": "maxcode.generators.pool:PoolGenerator",
    "rewrite": "maxcode.generators.rewrite:RewriteGenerator",
    "landscape": "maxcode.landscape.plugins:LandscapeGenerator",
}
CRITICS = {
    "profile": "maxcode.critics.profile:ProfileCritic",
    "landscape": "maxcode.landscape.plugins:LandscapeCritic",
}
POLICIES = {
    "maxcode": "maxcode.policies.maxcode_loop:MaxCodeLoop",
    "best-of-n": "maxcode.policies.best_of_n:BestOfN",
    "cuda-llm": "maxcode.policies.cuda_llm:CudaLLM",
    "effi-learner": "maxcode.policies.effi_learner:EffiLearner",
    "beam": "maxcode.policies.beam:Beam",
    "islands": "maxcode.policies.islands:Islands",
    "treequest": "maxcode.policies.tree_quest:TreeQuestPolicy",
}

REWARD_TO_GO = {
    "random": "maxcode.reward_to_go.baselines:RandomRewardToGo",
    "reward-so-far": "maxcode.reward_to_go.baselines:RewardSoFar",
}

_RANKING = "reward-to-go model"
_SERVED = "openai"
_SHOWN = 8  # classes of a module that are named at most, if none is close
_ASKED = tuple(f"{kind}:MODEL" for kind in MODELS)
_OTHERS = {
    "critic": (*_ASKED, "none"),
    "generator": _ASKED,
    _RANKING: ("the folder of a saved one", f"{_SERVED}:MODEL@BASE_URL", "none"),
}


def make_generator(text: str, model_config: ModelConfig | None = None) -> Generator:
    """The generator that ``text`` names; several with `` + `` between them are a mixture.

    Raises :class:`InputError`.
    """
    model_config = model_config or ModelConfig()
    parts = [part.strip() for part in text.split(" + ")]
    if len(parts) > 1:
        return _mixture(text, parts, model_config)
    if text.partition(":")[0] in MODELS:
        return ModelGenerator(model_config.model(text), model_config.templates)
    plugin, options = _find(text, "generator", GENERATORS)
    if not issubclass(plugin, Generator):
        raise InputError(f"{text!r} is no generator: it does not inherit maxcode.Generator")
    return constructed(text, plugin, options)


def make_policy(text: str) -> SearchPolicy:
    """The search policy that ``text`` names. Raises :class:`InputError`."""
    plugin, options = _find(text, "policy", POLICIES)
    if not issubclass(plugin, SearchPolicy):
        raise InputError(f"{text!r} is no policy: it does not inherit maxcode.SearchPolicy")
    return constructed(text, plugin, options)


def _mixture(text: str, parts: list[str], model_config: ModelConfig) -> Mixture:
    """``3 * anthropic:A + 1 * rewrite`` has weights; without any, a bandit decides."""
    weighted = [re.fullmatch(r"(?:(\S+) \* )?(.+)", part) for part in parts]
    weights = [match[1] for match in weighted if match]
    generators = [make_generator(match[2], model_config) for match in weighted if match]
    if not any(weights) or len(generators) < len(parts):
        return Mixture(generators)
    try:
        return Mixture(generators, [float(weight or 1) for weight in weights])
    except ValueError as error:
        raise InputError(f"cannot read the weights in {text!r}: {error}") from error


def make_critic(text: str, model_config: ModelConfig | None = None) -> Critic | None:
    """The critic that ``text`` names; "none" is none. Raises :class:`InputError`."""
    if text == "none":
        return None
    if text.partition(":")[0] in MODELS:
        model_config = model_config or ModelConfig()
        return LLMCritic(model_config.model(text), model_config.templates)
    plugin, options = _find(text, "critic", CRITICS)
    if not issubclass(plugin, Critic):
        raise InputError(f"{text!r} is no critic: it does not inherit maxcode.Critic")
    return constructed(text, plugin, options)


def make_reward_to_go(text: str, model_config: ModelConfig | None = None) -> RewardToGo | None:
    """The reward-to-go model that ``text`` names; "none" is none.

    A folder holds a saved one. A served one has its bins from ``bins=FOLDER`` of a saved one, or
    from ``edges=0/0.5/1``. Raises :class:`InputError`, :class:`~maxcode.errors.ToolError`.
    """
    if text == "none":
        return None
    if text.partition(":")[0] == _SERVED:
        named, options = split_options(text, {"bins", "edges"})
        objective = _objective(text, options)
        model = (model_config or ModelConfig()).first_token(named, objective.bins.labels)
        folder = _bins_folder(text)
        return OpenAIRewardToGo(model, objective, Window(folder) if folder else None)
    if Path(text).is_dir():
        return load(text)
    plugin, options = _find(text, _RANKING, REWARD_TO_GO)
    if not issubclass(plugin, RewardToGo):
        raise InputError(f"{text!r} is no {_RANKING}: it does not inherit maxcode.RewardToGo")
    return constructed(text, plugin, options)


def with_absolute_paths(text: str) -> str:
    """What :func:`make_reward_to_go` takes, so that it means the same from another folder."""
    if text.partition(":")[0] != _SERVED:
        return str(Path(text).absolute()) if Path(text).is_dir() else text
    folder = _bins_folder(text)
    if not folder:
        return text
    named, _ = split_options(text, {"bins"})
    return f"{named},bins={Path(folder).absolute()}"


def saved_identity(text: str) -> str:
    """What tells the saved model that ``text`` names from others in its folder, before or after.

    Empty where it names none. Raises :class:`InputError`.
    """
    folder = _bins_folder(text) if text.partition(":")[0] == _SERVED else text
    return Saved.read(folder).identity if folder and Path(folder, FILE).is_file() else ""


def is_saved(text: str) -> bool:
    """Whether ``text`` names a saved model by its folder, which :func:`saved_identity` tells of."""
    return Path(text, FILE).is_file()


def _bins_folder(text: str) -> str:
    """The saved model that a served one has its bins from, or an empty text."""
    _, options = split_options(text, {"bins"})
    return options.partition("=")[2]


def _objective(text: str, options: str) -> Objective:
    """What a served model estimates, from ``bins=FOLDER`` or ``edges=0/0.5/1``."""
    name, _, value = options.partition("=")
    if "," in value:
        raise InputError(f"{text!r}: give either bins= or edges=, and once")
    if name == "bins":
        return Saved.read(value).objective
    try:
        return Objective(Bins(tuple(map(float, value.split("/"))))) if name else Objective()
    except ValueError:
        raise InputError(f"cannot read {options!r} in {text!r}; write it like 0/0.5/1/2") from None


def check_estimates(policy: SearchPolicy, model: RewardToGo | None) -> None:
    """Raise :class:`InputError` for a policy that goes by estimates where nobody makes any."""
    if isinstance(policy, Beam) and policy.by == "reward-to-go" and model is None:
        raise InputError(
            "beam:by=reward-to-go goes by estimates, and there is no model to make them; add "
            "--reward-to-go MODEL, and in a comparison +rtg to the policy, or take by=reward"
        )


def check_generator(generator: Generator, task: Task) -> None:
    """Raise :class:`InputError` where a generator of ours has nothing for a landscape."""
    if not isinstance(task, Landscape):
        return
    parts = generator.generators.values() if isinstance(generator, Mixture) else [generator]
    for part in parts:
        if isinstance(part, RewriteGenerator) or (
            isinstance(part, PoolGenerator) and not part.by_task and not part.candidates(task)
        ):
            raise InputError("landscape tasks need --generator landscape")


def _find(text: str, kind: str, known: Mapping[str, str]) -> tuple[type, str]:
    """The class that ``text`` names, and its options as they were written."""
    name, _, options = text.partition(":")
    if name in known:
        home, _, title = known[name].partition(":")
    else:
        home = name
        title, _, options = options.partition(",")
    problem = f"unknown {kind} {text!r}"
    if title.isidentifier() and all(part.isidentifier() for part in home.split(".")):
        module = _imported(home)
        if module is not None:
            found = getattr(module, title, None)
            if not isinstance(found, type):
                raise InputError(_no_class(module, title))
            return found, options
        problem = f"there is no module {home} here"
    raise InputError(
        f"{problem}; known: {', '.join([*known, *_OTHERS.get(kind, ())])}, "
        "or your own as package.module:Class, named as in an import, if Python can import it "
        "from here"
    )


def _no_class(module: ModuleType, title: str) -> str:
    own = [
        name
        for name, one in vars(module).items()
        if isinstance(one, type) and one.__module__ == module.__name__
    ]
    shown = own if len(own) <= _SHOWN else get_close_matches(title, own)
    it_has = f"; it has {', '.join(shown)}" if shown else ""
    return f"{module.__name__} has no class {title}{it_has}"


def _imported(home: str) -> ModuleType | None:
    """The module; None when there is none of that name."""
    folder = str(Path.cwd())
    if folder not in sys.path:  # as for `python -m`: people keep plug-ins beside what they work on
        sys.path.append(folder)
    try:
        return import_module(home)
    except (Exception, SystemExit) as error:  # whatever the module does when it is imported
        if isinstance(error, ModuleNotFoundError) and f"{home}.".startswith(f"{error.name}."):
            return None
        raise InputError(f"cannot import {home}: {told(error)}") from error
