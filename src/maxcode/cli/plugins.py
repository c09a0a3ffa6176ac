"""Plug-ins from strings: ``maxcode:k=4,d=10``, ``anthropic:MODEL``, ``package.module:Class``."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from maxcode.cli.arguments import constructed, told
from maxcode.cli.models import MODELS, Backing
from maxcode.critics.llm import LLMCritic
from maxcode.errors import InputError
from maxcode.generators.llm import ModelGenerator
from maxcode.generators.mixture import Mixture
from maxcode.interfaces import Critic, Generator, SearchPolicy

GENERATORS = {
    "pool": "maxcode.generators.pool:PoolGenerator",
    "rewrite": "maxcode.generators.rewrite:RewriteGenerator",
    "landscape": "maxcode.landscape.generator:LandscapeGenerator",
}
CRITICS = {
    "profile": "maxcode.critics.profile:ProfileCritic",
    "landscape": "maxcode.landscape.critic:LandscapeCritic",
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

_ASKED = tuple(f"{kind}:MODEL" for kind in MODELS)
_OTHERS = {"critic": (*_ASKED, "none"), "generator": _ASKED}


def make_generator(text: str, backing: Backing | None = None) -> Generator:
    """The generator that ``text`` names; several with `` + `` between them are a mixture.

    Raises :class:`InputError`.
    """
    backing = backing or Backing()
    parts = [part.strip() for part in text.split(" + ")]
    if len(parts) > 1:
        return _mixture(text, parts, backing)
    if text.partition(":")[0] in MODELS:
        return ModelGenerator(backing.model(text), backing.templates)
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


def _mixture(text: str, parts: list[str], backing: Backing) -> Mixture:
    """``3 * anthropic:A + 1 * rewrite`` has weights; without any, a bandit decides."""
    weighted = [re.fullmatch(r"(?:(\S+) \* )?(.+)", part) for part in parts]
    weights = [match[1] for match in weighted if match]
    generators = [make_generator(match[2], backing) for match in weighted if match]
    if not any(weights) or len(generators) < len(parts):
        return Mixture(generators)
    try:
        return Mixture(generators, [float(weight or 1) for weight in weights])
    except ValueError as error:
        raise InputError(f"cannot read the weights in {text!r}: {error}") from error


def make_critic(text: str, backing: Backing | None = None) -> Critic | None:
    """The critic that ``text`` names; "none" is none. Raises :class:`InputError`."""
    if text == "none":
        return None
    if text.partition(":")[0] in MODELS:
        backing = backing or Backing()
        return LLMCritic(backing.model(text), backing.templates)
    plugin, options = _find(text, "critic", CRITICS)
    if not issubclass(plugin, Critic):
        raise InputError(f"{text!r} is no critic: it does not inherit maxcode.Critic")
    return constructed(text, plugin, options)


def _find(text: str, kind: str, known: Mapping[str, str]) -> tuple[type, str]:
    """The class that ``text`` names, and its options as they were written."""
    name, _, options = text.partition(":")
    if name in known:
        home, _, title = known[name].partition(":")
    else:
        home = name
        title, _, options = options.partition(",")
    plugin = None
    if title.isidentifier() and all(part.isidentifier() for part in home.split(".")):
        plugin = _imported(home, title)
    if plugin is None:
        raise InputError(
            f"unknown {kind} {text!r}; known: {', '.join([*known, *_OTHERS.get(kind, ())])}, "
            "or your own as package.module:Class, named as in an import, if Python can import it "
            "from here"
        )
    return plugin, options


def _imported(home: str, title: str) -> type | None:
    """The class; None when there is no such module or class."""
    folder = str(Path.cwd())
    if folder not in sys.path:  # as for `python -m`: people keep plug-ins beside what they work on
        sys.path.append(folder)
    try:
        found = getattr(import_module(home), title, None)
    except (Exception, SystemExit) as error:  # whatever the module does when it is imported
        if isinstance(error, ModuleNotFoundError) and f"{home}.".startswith(f"{error.name}."):
            return None
        raise InputError(f"cannot import {home}: {told(error)}") from error
    return found if isinstance(found, type) else None
