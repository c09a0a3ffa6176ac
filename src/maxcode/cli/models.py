"""Models from strings: ``anthropic:MODEL``, ``openai:MODEL@BASE_URL``, ``hf:PATH``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from maxcode.budget import Budget
from maxcode.cli.console import standard_error
from maxcode.cli.parameters import constructed
from maxcode.critics.llm import LLMCritic
from maxcode.errors import InputError
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

MODELS = {
    "anthropic": "maxcode.models.anthropic:AnthropicModel",
    "openai": "maxcode.models.openai:OpenAIModel",
    "hf": "maxcode.models.transformers:TransformersModel",
}
_REMOTE = ("anthropic", "openai")
_CHANCES = "maxcode.models.openai:FirstTokenModel"


@dataclass(frozen=True)
class ModelConfig:
    """What the models of a command share, as the user gave it.

    ``prompts`` is a folder of templates that take the place of ours, or a shipped set, ``prices`` a
    file of prices beside ours. With a ``budget`` in dollars each model needs a price. ``context``
    is the most tokens of a prompt. ``similar`` is a file of slow-fast pairs to show similar ones
    of, as ``train.jsonl,k=2``.
    """

    prompts: str | None = None
    prices: str | None = None
    budget: Budget = field(default_factory=Budget)
    context: int | None = None
    similar: str | None = None
    _made: dict[str, Model] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.prompts == "":
            raise InputError(f"--prompts names no folder, and no set; sets: {', '.join(SETS)}")
        if self.similar is not None and not self.similar.partition(",")[0]:
            raise InputError("--similar names no file; give a training file in PIE's format")

    @cached_property
    def templates(self) -> Prompts:
        """The prompts.

        Raises :class:`InputError` for templates that cannot be read, and what
        :class:`~maxcode.prompts.similar.SimilarPairs` raises.
        """
        if self.context is None:
            return Prompts(self.prompts, similar=self.pairs)
        return Prompts(self.prompts, context=self.context, similar=self.pairs)

    @cached_property
    def pairs(self) -> SimilarPairs | None:
        """The pairs to show similar ones of."""
        if self.similar is None:
            return None
        path, _, options = self.similar.partition(",")
        notes = partial(standard_error().print, soft_wrap=True, markup=False)
        return constructed(self.similar, SimilarPairs, options, path=path, notes=notes)

    @cached_property
    def similar_id(self) -> str:
        """What tells the file of pairs from others in its place; empty without one."""
        return sha256(self.pairs.path.read_bytes()).hexdigest()[:16] if self.pairs else ""

    def check_shown(self, generator: Generator, critic: Critic | None) -> None:
        """Raise :class:`InputError` where pairs or prompts were given that neither shows anyone."""
        asking = "name one as anthropic:, openai: or hf:, or leave it out"
        if self.similar is None and self.prompts is None:
            return
        if any(one.prompts is self.templates for one in model_generators(generator)):
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
        """The prices that are known. Raises :class:`InputError` for a file that cannot be read."""
        return load_prices(self.prices)

    def model(self, text: str) -> Model:
        """The model that ``text`` names; the same one for the same text.

        So a generator and a critic share its limits, and its weights. Raises :class:`InputError`.
        """
        if text not in self._made:
            self._made[text] = self._make(text, MODELS[text.partition(":")[0]])
        return self._made[text]

    def first_token(self, text: str, tokens: Sequence[str]) -> Model:
        """The served model that ``text`` names, asked how likely each of ``tokens`` comes first.

        Raises :class:`InputError`.
        """
        return self._make(text, _CHANCES, tokens=tuple(tokens))

    def _make(self, text: str, place: str, **given: object) -> Model:
        kind, _, rest = text.partition(":")
        name, _, options = rest.partition(",")
        _check_key(options)
        priced = ""
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
                given["price"] = _price(text, priced)
        if not name:
            raise InputError(f"{text!r} names no model; write it like {kind}:NAME")
        given["path" if kind == "hf" else "model"] = name
        home, _, title = place.partition(":")
        plugin: type[Model] = getattr(import_module(home), title)
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


def _check_key(options: str) -> None:
    """Before anything quotes them."""
    for part in options.split(","):
        name, _, value = part.strip().partition("=")
        if name == "key":
            check_variable(value)


def split_options(options: str, names: Collection[str]) -> tuple[str, str]:
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


def absolute_prompts(text: str | None) -> str | None:
    """What ``--prompts`` takes, so that it means the same from another folder."""
    return text if not text or text in SETS else str(Path(text).absolute())


def absolute_similar(text: str | None) -> str | None:
    """What ``--similar`` takes, so that it means the same from another folder."""
    path, comma, options = (text or "").partition(",")
    return f"{Path(path).absolute()}{comma}{options}" if path else text


def model_generators(generator: Generator) -> Iterator[ModelGenerator]:
    """Those that ask models: the generator itself, or parts of the mixture that it is."""
    if isinstance(generator, ModelGenerator):
        yield generator
    if isinstance(generator, Mixture):
        for part in generator.generators.values():
            yield from model_generators(part)
