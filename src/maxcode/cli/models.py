"""Models from strings: ``anthropic:MODEL``, ``openai:MODEL@BASE_URL``, ``hf:PATH``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from maxcode.budget import Budget
from maxcode.cli.commands import ModelSettings
from maxcode.cli.lookup import constructed, split_options
from maxcode.critics.llm import LLMCritic
from maxcode.errors import InputError
from maxcode.generators.agent import AgentGenerator
from maxcode.generators.llm import ModelGenerator
from maxcode.generators.mixture import Mixture
from maxcode.interfaces import Critic, Generator
from maxcode.models.base import Awaited, Model
from maxcode.models.endpoint import check_variable
from maxcode.models.prices import Price, load_prices, price_of
from maxcode.models.resilience import Limits
from maxcode.prompts.prompts import Prompts
from maxcode.prompts.templates import SETS
from maxcode.text import clock, counted

MODELS = {
    "anthropic": "maxcode.models.anthropic:AnthropicModel",
    "hf": "maxcode.models.transformers:TransformersModel",
    "openai": "maxcode.models.openai:OpenAIModel",
}
"""The classes of models, imported when named: their libraries take long."""


@dataclass(frozen=True)
class ModelConfig:
    """The models of a command by its ``settings``, with their prompts and prices.

    With a ``budget`` in dollars each model needs a price.
    """

    settings: ModelSettings = field(default_factory=ModelSettings)
    budget: Budget = field(default_factory=Budget)
    _made: dict[str, Model] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def templates(self) -> Prompts:
        """The prompts. Raises :class:`InputError` for unreadable templates."""
        own, given = self.settings, dict[str, Any]()
        if own.context is not None:
            given["context"] = own.context
        if own.answers not in (None, "auto"):
            given["form"] = own.answers
        return Prompts(own.prompts, **given)

    @cached_property
    def table(self) -> dict[str, Price]:
        """All known prices. Raises :class:`InputError` for an unreadable file."""
        return load_prices(self.settings.prices)

    def model(self, text: str) -> Model:
        """The model of a text, always the same model, which shares its limits."""
        if text not in self._made:
            self._made[text] = self._make(text, MODELS[text.partition(":")[0]])
        return self._made[text]

    def first_token(self, text: str, tokens: Sequence[str]) -> Model:
        """The served model named by ``text``, asked for the chance of each of ``tokens`` to come
        first.
        """
        return self._make(text, "maxcode.models.openai:FirstTokenModel", tokens=tuple(tokens))

    def _make(self, text: str, place: str, **given: object) -> Model:
        kind, _, rest = text.partition(":")
        name, _, options = rest.partition(",")
        for part in options.split(","):
            key, _, value = part.strip().partition("=")
            if key == "key":
                check_variable(value)  # before any message quotes it
        if kind != "hf":
            name, options = self._served(text, name, options, given)
        if not name:
            raise InputError(f"{text!r} names no model; write it like {kind}:NAME")
        given["path" if kind == "hf" else "model"] = name
        plugin: type[Model] = resolve_name(place)
        model = constructed(text, plugin, options, **given)
        if kind != "hf" and "price" not in given:
            model.price = price_of(model.name, self.table)
        if self.budget.dollars is not None and model.price is None:
            raise InputError(
                f"--budget limits dollars, but the price of {name} is not known; give it, in "
                f"dollars for a million tokens in and out, as {kind}:{rest.split(',')[0]},"
                "price=3/15 (0/0 where nobody charges) or in a file for --prices; or limit tokens"
            )
        return model

    def _served(
        self, text: str, name: str, options: str, given: dict[str, object]
    ) -> tuple[str, str]:
        """Name and other options of a model behind a server, whose address and limits are taken."""
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
        return name, options


def awaited(generator: Generator, critic: Critic | None) -> str:
    """Which models are being waited for, how long already, and how much they have written."""
    return "; ".join(
        f"waiting for {name}: {counted(found.requests, 'request')}, {clock(found.seconds)}, "
        f"{counted(found.tokens, 'token')} so far"
        for name, found in _awaited(generator, critic)
        if found.requests
    )


def trouble(generator: Generator, critic: Critic | None) -> str:
    """Which models cannot be reached, why, and which attempt follows."""
    found = _awaited(generator, critic)
    return "; ".join(f"{name}: {one.problem}" for name, one in found if one.problem)


def _awaited(generator: Generator, critic: Critic | None) -> Iterator[tuple[str, Awaited]]:
    models = [one.model for one in askers(generator) if isinstance(one, ModelGenerator)]
    models += [critic.model] if isinstance(critic, LLMCritic) else []
    for model in dict.fromkeys(models):
        if found := model.awaited():
            yield model.name, found


def absolute_prompts(text: str | None) -> str | None:
    """The value of ``--prompts`` with an absolute path."""
    return text if not text or text in SETS else str(Path(text).absolute())


def askers(generator: Generator) -> Iterator[ModelGenerator | AgentGenerator]:
    """The generator itself or the parts of a mixture, where they ask a model or an agent."""
    if isinstance(generator, ModelGenerator | AgentGenerator):
        yield generator
    if isinstance(generator, Mixture):
        for part in generator.generators.values():
            yield from askers(part)
