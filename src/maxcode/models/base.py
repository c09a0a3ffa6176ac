"""Model: the one thing that differs between providers."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import accumulate, pairwise
from operator import add

from pydantic import JsonValue

from maxcode.budget import Answer, Cost, Transcript
from maxcode.errors import NoAnswerError
from maxcode.models.prices import Price


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system prompt and one message of the user, in parts.

    Providers keep the beginning of a request and charge less for it when it comes again. So what
    stays is at the front: the ``system`` prompt, then all ``parts`` but the last, each of which
    ends where a later prompt may go on differently (the task; one part for each attempt). The last
    part is what is asked now. ``dropped`` are the ids of steps that did not fit in.
    """

    system: str
    parts: tuple[str, ...]
    dropped: tuple[int, ...] = ()

    @property
    def user(self) -> str:
        """The user's message in one piece."""
        return "\n\n".join(self.parts)

    @property
    def text(self) -> str:
        """All of it for people, as it is kept in the journal."""
        return f"[system]\n{self.system}\n\n[user]\n{self.user}"

    @property
    def size(self) -> int:
        """Bytes in UTF-8."""
        return sum(len(part.encode()) for part in (self.system, *self.parts))


class Model(ABC):
    """A language model, ready to be asked. Safe to use from several threads at once.

    ``name`` is what the journal calls it, as in "anthropic:claude-sonnet-5-5". ``price`` is None
    where it is not known.
    """

    name: str
    price: Price | None

    @abstractmethod
    def sample(
        self, prompt: Prompt, samples: Sequence[int], *, request: str, seed: int
    ) -> Iterator[Answer]:
        """Answers to the same prompt, one for each of ``samples``, as they come in.

        Each answer's ``call`` has ``request`` and its number among ``samples``. Where the provider
        allows it, randomness comes from ``seed`` and that number. A sample for which every attempt
        failed is an answer whose call has a ``problem``, and what the attempts used. Raises
        :class:`~maxcode.errors.ModelError`, before or between answers, for what would fail again
        (a wrong key, an unknown model, a prompt that is too long).
        """

    @abstractmethod
    def ceiling(self, prompt_bytes: int, n: int) -> Cost:
        """The most that ``n`` samples of a prompt of that many bytes (UTF-8) can cost.

        What failed attempts use is included.
        """

    @abstractmethod
    def parameters(self) -> Mapping[str, JsonValue]:
        """All that decides answers besides prompt and seed: model, address, temperature, ...

        No key is among them.
        """

    @property
    def identity(self) -> str:
        """What distinguishes the model in comparisons: its name, settings and price.

        When and where a price was read does not matter: the same prices are the same model.
        """
        settings = json.dumps(dict(self.parameters()), sort_keys=True)
        price = self.price and replace(self.price, as_of=None, source="")
        return f"{self.name}, {settings}, {price}"

    def stop(self) -> None:  # noqa: B027 - optional
        """Cancel what is under way: the search ends. Does nothing by default."""

    def request(self, prompt: Prompt, seed: int) -> str:
        """The digest that names a request: who is asked what, and with which seed."""
        content = [self.name, dict(self.parameters()), prompt.system, list(prompt.parts), seed]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def ask(model: Model, prompt: Prompt, n: int, *, seed: int, transcript: Transcript) -> list[Answer]:
    """``n`` answers, or those that could be had, in the order of their numbers.

    What the transcript holds is not asked again, and what comes in is kept there at once. Raises
    :class:`~maxcode.errors.NoAnswerError` when there is no answer at all.
    """
    request = model.request(prompt, seed)
    found = {sample: transcript.find(request, sample) for sample in range(n)}
    answers = {sample: answer for sample, answer in found.items() if answer}
    problem = "it gave no answer"
    if missing := [sample for sample in range(n) if sample not in answers]:
        ceiling = model.ceiling(prompt.size, 1)
        if ceiling.dollars or ceiling.unpriced:  # a model on this machine bills nobody
            transcript.sending(model.name, request, missing, ceiling, prompt.text)
        for answer in model.sample(prompt, missing, request=request, seed=seed):
            transcript.keep(answer, prompt.text)
            if answer.call.problem:
                problem = answer.call.problem
            else:
                answers[answer.call.sample] = answer
    if not answers and n:
        raise NoAnswerError(f"{model.name}: {problem}")
    return [answers[sample] for sample in sorted(answers)]


BYTES_PER_TOKEN = 3.0
"""Assumed where a provider does not report its tokens; 2.5 to 4 are usual for code."""

FEWEST_BYTES_PER_TOKEN = 1.5
"""What is reserved for; only long rows of digits have more tokens, with some tokenizers."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a request, in classes of one price each; see :class:`maxcode.budget.Call`."""

    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    thinking: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(*map(add, astuple(self), astuple(other)))

    @property
    def total(self) -> int:
        """All tokens, in and out."""
        return self.input + self.cached + self.written + self.output

    @property
    def uncached(self) -> Tokens:
        """The same without a cache."""
        return Tokens(self.input + self.cached + self.written, 0, 0, self.output, self.thinking)

    def shares(self, weights: list[int]) -> list[Tokens]:
        """Shared out exactly: input evenly, output in proportion to ``weights``."""
        evenly = [1] * len(weights)
        prompt = [_shares(kind, evenly) for kind in (self.input, self.cached, self.written)]
        thinking = _shares(self.thinking, weights)
        text = _shares(self.output - self.thinking, weights)
        output = [a + b for a, b in zip(text, thinking, strict=True)]
        return [Tokens(*share) for share in zip(*prompt, output, thinking, strict=True)]


def estimate(size: int) -> int:
    """Roughly how many tokens a text of so many bytes has."""
    return -int(-size // BYTES_PER_TOKEN)


def upper_bound(size: int) -> int:
    """How many tokens a prompt of so many bytes has at most, what frames it included."""
    return -int(-size // FEWEST_BYTES_PER_TOKEN) + 64


def _shares(total: int, weights: list[int]) -> list[int]:
    """Whole numbers in proportion to the weights, whose sum is ``total``."""
    if not any(weights):
        weights = [1] * len(weights)
    ends = [total * weight // sum(weights) for weight in accumulate(weights, initial=0)]
    return [end - begin for begin, end in pairwise(ends)]
