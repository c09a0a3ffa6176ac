"""Models from strings: ``anthropic:MODEL``, ``openai:MODEL@BASE_URL``, ``hf:PATH``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from maxcode.budget import Budget
from maxcode.cli.console import standard_error
from maxcode.cli.lookup import constructed, split_options
from maxcode.cli.search_commands import ModelSettings
from maxcode.critics.llm import LLMCritic
from maxcode.errors import InputError
from maxcode.generators.agent import AgentGenerator
from maxcode.generators.llm import ModelGenerator
from maxcode.generators.mixture import Mixture
from maxcode.interfaces import Critic, Generator
from maxcode.models.base import Model
from maxcode.models.endpoint import check_variable
from maxcode.models.prices import Price, load_prices, price_of
from maxcode.models.resilience import Limits
from maxcode.prompts.prompts import Prompts
from maxcode.prompts.similar import SimilarPairs
from maxcode.prompts.templates import SETS
from maxcode.text import clock, counted

MODELS = {
    "anthropic": "maxcode.models.anthropic:AnthropicModel",
    "openai": "maxcode.models.openai:OpenAIModel",
    "hf": "maxcode.models.transformers:TransformersModel",
}
"""The classes of models, imported when one is named: their libraries take long."""

_REMOTE = ("anthropic", "openai")


@dataclass(frozen=True, kw_only=True)
class ModelConfig(ModelSettings):
    """The settings that the models of a command share, with prompts, prices and models.

    With a ``budget`` in dollars each model needs a price.
    """

    budget: Budget = field(default_factory=Budget)
    _made: dict[str, Model] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, settings: ModelSettings, budget: Budget) -> ModelConfig:
        """Settings at a budget."""
        given = {one.name: getattr(settings, one.name) for one in fields(ModelSettings)}
        return cls(**given, budget=budget)

    def __post_init__(self) -> None:
        if self.prompts == "":
            raise InputError(f"--prompts names no folder, and no set; sets: {', '.join(SETS)}")
        if self.similar is not None and not self.similar.partition(",")[0]:
            raise InputError("--similar names no file; give a training file in PIE's format")

    @cached_property
    def templates(self) -> Prompts:
        """The prompts. Raises :class:`InputError` for templates or pairs that cannot be read."""
        given: dict[str, Any] = {} if self.context is None else {"context": self.context}
        if self.answers not in (None, "auto"):
            given["form"] = self.answers
        return Prompts(self.prompts, similar=self.pairs, **given)

    @cached_property
    def pairs(self) -> SimilarPairs | None:
        """The slow-fast pairs to choose similar programs from."""
        if self.similar is None:
            return None
        path, _, options = self.similar.partition(",")
        notes = partial(standard_error().print, soft_wrap=True, markup=False)
        return constructed(self.similar, SimilarPairs, options, path=path, notes=notes)

    @cached_property
    def similar_id(self) -> str:
        """A digest of the file of pairs; empty without one."""
        return sha256(self.pairs.path.read_bytes()).hexdigest()[:16] if self.pairs else ""

    def check_shown(self, generator: Generator, critic: Critic | None) -> None:
        """Raise :class:`InputError` for pairs or prompts that no model is shown."""
        asking = "name one as anthropic:, openai: or hf:, or leave it out"
        if self.similar is None and self.prompts is None:
            return
        if any(one.prompts is self.templates for one in _prompted(generator)):
            return
        if self.similar is not None:
            raise InputError(f"--similar is for generators that ask a model; {asking}")
        if self.prompts in SETS:
            raise InputError(
                f"--prompts {self.prompts} is for generators that ask a model; {asking}"
            )
        if not (isinstance(critic, LLMCritic) and critic.prompts is self.templates):
            raise InputError(f"--prompts is for generators and critics that ask a model; {asking}")

    @cached_property
    def table(self) -> dict[str, Price]:
        """All known prices. Raises :class:`InputError` for a file that cannot be read."""
        return load_prices(self.prices)

    def model(self, text: str) -> Model:
        """The model of a text, always the same model, which shares its limits.

        Raises :class:`InputError`.
        """
        if text not in self._made:
            self._made[text] = self._make(text, MODELS[text.partition(":")[0]])
        return self._made[text]

    def first_token(self, text: str, tokens: Sequence[str]) -> Model:
        """The served model that ``text`` names, asked how likely each of ``tokens`` comes first.

        Raises :class:`InputError`.
        """
        return self._make(text, "maxcode.models.openai:FirstTokenModel", tokens=tuple(tokens))

    def _make(self, text: str, place: str, **given: object) -> Model:
        kind, _, rest = text.partition(":")
        name, _, options = rest.partition(",")
        priced = ""
        for part in options.split(","):
            key, _, value = part.strip().partition("=")
            if key == "key":
                check_variable(value)  # before any message quotes it
        if kind in _REMOTE:
            name, *url = re.split("@(?=https?://)", name, maxsplit=1)
            options, limits = split_options(options, {field.name for field in fields(Limits)})
            options, priced = split_options(options, {"price"})
            if limits:
                given["limits"] = constructed(text, Limits, limits)
            if bare := re.search(r"@([\w.-]+:\d+.*)", name):
                raise InputError(f"{text!r}: write http:// or https:// before {bare[1]}")
            if url:
                given["base_url"] = url[0]
            if priced:
                try:
                    given["price"] = Price.parse(priced.partition("=")[2])
                except InputError as error:
                    raise InputError(f"{priced!r} in {text!r}: {error}") from error
        if not name:
            raise InputError(f"{text!r} names no model; write it like {kind}:NAME")
        given["path" if kind == "hf" else "model"] = name
        plugin: type[Model] = resolve_name(place)
        model = constructed(text, plugin, options, **given)
        if kind in _REMOTE and not priced:
            model.price = price_of(model.name, self.table)
        if self.budget.dollars is not None and model.price is None:
            raise InputError(
                f"--budget limits dollars, but the price of {name} is not known; give it, in "
                f"dollars for a million tokens in and out, as {kind}:{rest.split(',')[0]},"
                "price=3/15 (0/0 where nobody charges) or in a file for --prices; or limit tokens"
            )
        return model


def awaited(generator: Generator, critic: Critic | None) -> str:
    """Which models are being waited for, how long already, and how much they have written."""
    models = [asker.model for asker in model_generators(generator)]
    models += [critic.model] if isinstance(critic, LLMCritic) else []
    texts = []
    for model in dict.fromkeys(models):
        if found := model.awaited():
            asked = counted(found.requests, "request")
            came = counted(found.tokens, "token")
            texts.append(
                f"waiting for {model.name}: {asked}, {clock(found.seconds)}, {came} so far"
            )
    return "; ".join(texts)


def absolute_prompts(text: str | None) -> str | None:
    """The value of ``--prompts`` with an absolute path."""
    return text if not text or text in SETS else str(Path(text).absolute())


def absolute_similar(text: str | None) -> str | None:
    """The value of ``--similar`` with an absolute path."""
    path, comma, options = (text or "").partition(",")
    return f"{Path(path).absolute()}{comma}{options}" if path else text


def model_generators(generator: Generator) -> Iterator[ModelGenerator]:
    """Parts of a generator that ask models: itself, or parts of a mixture."""
    return (one for one in _prompted(generator) if isinstance(one, ModelGenerator))


def agent_generators(generator: Generator) -> Iterator[AgentGenerator]:
    """Parts of a generator that start agents."""
    return (one for one in _prompted(generator) if isinstance(one, AgentGenerator))


def _prompted(generator: Generator) -> Iterator[ModelGenerator | AgentGenerator]:
    if isinstance(generator, ModelGenerator | AgentGenerator):
        yield generator
    if isinstance(generator, Mixture):
        for part in generator.generators.values():
            yield from _prompted(part)
