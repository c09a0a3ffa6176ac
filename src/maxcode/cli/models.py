"""Models from strings: ``anthropic:MODEL``, ``openai:MODEL@BASE_URL``, ``hf:PATH``."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module

from maxcode.budget import Budget
from maxcode.cli.arguments import constructed
from maxcode.errors import InputError
from maxcode.generators.llm import ModelGenerator
from maxcode.generators.mixture import Mixture
from maxcode.interfaces import Generator
from maxcode.models.base import Model
from maxcode.models.prices import Price, load_prices, price_of
from maxcode.models.resilience import Limits
from maxcode.prompts.prompts import Prompts

MODELS = {
    "anthropic": "maxcode.models.anthropic:AnthropicModel",
    "openai": "maxcode.models.openai:OpenAIModel",
    "hf": "maxcode.models.transformers:TransformersModel",
}
_REMOTE = ("anthropic", "openai")


@dataclass(frozen=True)
class Backing:
    """What the models of a command share, as the user gave it.

    ``prompts`` is a folder of templates that take the place of ours, ``prices`` a file of prices
    beside ours. With a ``budget`` in dollars each model needs a price.
    """

    prompts: str | None = None
    prices: str | None = None
    budget: Budget = field(default_factory=Budget)

    @cached_property
    def templates(self) -> Prompts:
        """The prompts. Raises :class:`InputError` for templates that cannot be read."""
        return Prompts(self.prompts)

    @cached_property
    def table(self) -> dict[str, Price]:
        """The prices that are known. Raises :class:`InputError` for a file that cannot be read."""
        return load_prices(self.prices)

    def model(self, text: str) -> Model:
        """The model that ``text`` names. Raises :class:`InputError`."""
        kind, _, rest = text.partition(":")
        name, _, options = rest.partition(",")
        given: dict[str, object] = {}
        if kind in _REMOTE:
            name, _, url = name.partition("@")
            options, limits = _split(options, {field.name for field in fields(Limits)})
            options, priced = _split(options, {"price"})
            if limits:
                given["limits"] = constructed(text, Limits, limits)
            if url:
                given["base_url"] = url
            where = f"{kind}:{name}@{url}" if url else f"{kind}:{name}"
            given["price"] = _price(text, priced) or price_of(where, self.table)
        if not name:
            raise InputError(f"{text!r} names no model; write it like {kind}:NAME")
        home, _, title = MODELS[kind].partition(":")
        plugin: type[Model] = getattr(import_module(home), title)
        model = constructed(
            text, plugin, options, **{"path" if kind == "hf" else "model": name, **given}
        )
        if self.budget.dollars is not None and model.ceiling(1, 1).unpriced:
            raise InputError(
                f"--budget limits dollars, but the price of {name} is not known; give it, in "
                f"dollars for a million tokens in and out, as {kind}:{rest.split(',')[0]},"
                "price=3/15 (0/0 where nobody charges) or in a file for --prices; or limit tokens"
            )
        return model


def _split(options: str, names: Collection[str]) -> tuple[str, str]:
    """The options without those of these names, and those."""
    parts = [part.strip() for part in options.split(",") if part.strip()]
    chosen = [part for part in parts if part.partition("=")[0] in names]
    return ",".join(part for part in parts if part not in chosen), ",".join(chosen)


def _price(text: str, option: str) -> Price | None:
    if not option:
        return None
    try:
        return Price.parse(option.partition("=")[2])
    except InputError as error:
        raise InputError(f"{option!r} in {text!r}: {error}") from error


def model_generators(generator: Generator) -> Iterator[ModelGenerator]:
    """Those that ask models: the generator itself, or parts of the mixture that it is."""
    if isinstance(generator, ModelGenerator):
        yield generator
    if isinstance(generator, Mixture):
        for part in generator.generators.values():
            yield from model_generators(part)
