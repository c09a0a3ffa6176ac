"""Model: the one thing that differs between providers."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import accumulate, pairwise
from math import inf
from operator import add

from pydantic import JsonValue

from maxcode.budget import FREE, Answer, Cost, Transcript
from maxcode.errors import ContextError, NoAnswerError, PromptTooLongError
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


@dataclass(frozen=True, slots=True)
class Awaited:
    """What a model is being asked for: ``requests`` under way, the first for so many ``seconds``.

    ``tokens`` of their answers have come so far, as far as that is known.
    """

    requests: int
    seconds: float
    tokens: int


class Model(ABC):
    """A language model, ready to be asked. Safe to use from several threads at once.

    ``name`` is what the journal calls it, as in "anthropic:claude-sonnet-5-5". ``price`` is None
    where it is not known.
    """

    name: str
    price: Price | None

    @abstractmethod
    def sample(
        self,
        prompt: Prompt,
        samples: Sequence[int],
        *,
        request: str,
        seed: int,
        deadline: float = inf,
    ) -> Iterator[Answer]:
        """Answers to the same prompt, one for each of ``samples``, as they come in.

        Each answer's ``call`` has ``request`` and its number among ``samples``. Where the provider
        allows it, randomness comes from ``seed`` and that number. A sample for which every attempt
        failed, or that was not whole at the ``deadline`` (a reading of :func:`time.monotonic`), is
        an answer whose call has a ``problem``, and what the attempts used. Raises
        :class:`~maxcode.errors.ModelError`, before or between answers, for what would fail again
        (a wrong key, an unknown model), and of these
        :class:`~maxcode.errors.PromptTooLongError` for what a shorter prompt mends.
        """

    @abstractmethod
    def ceiling(self, prompt_bytes: int, n: int) -> Cost:
        """The most that ``n`` samples of a prompt of that many bytes (UTF-8) can cost.

        Each is billed once: one that is lost and asked for again is two.
        """

    @abstractmethod
    def parameters(self) -> Mapping[str, JsonValue]:
        """All that decides answers besides prompt and seed: model, address, temperature, ...

        No key is among them.
        """

    def context(self) -> int:
        """How many tokens a prompt and its answer may have together; 0 where that is not known."""
        return 0

    def longest_prompt(self) -> int:
        """How many tokens of the context a prompt may have; 0 where that is not known.

        The answer is left what it may have, but no more than a third.
        """
        context = self.context()
        most = self.parameters().get("max_tokens")
        third = context // 3
        return context - (min(most, third) if isinstance(most, int) else third)

    def awaited(self) -> Awaited | None:
        """What is waited for now; None where that is nothing, or not known."""
        return None

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


def ask(
    model: Model,
    prompt: Prompt,
    n: int,
    *,
    seed: int,
    transcript: Transcript,
    request: str = "",
) -> list[Answer]:
    """``n`` answers, or those that could be had, in the order of their numbers.

    What the transcript holds is not asked again, and what comes in is kept there at once. A sample
    that was sent and lost is asked for once more, if the budget has room for both.
    ``request`` names what is asked, where that is not the digest of all that decides the answer.
    Raises :class:`~maxcode.errors.NoAnswerError` when there is no answer at all.
    """
    request = request or model.request(prompt, seed)
    found = {sample: transcript.find(request, sample) for sample in range(n)}
    answers = {sample: answer for sample, answer in found.items() if answer}
    problem = "it gave no answer"
    missing = [sample for sample in range(n) if sample not in answers]
    ceiling = model.ceiling(prompt.size, 1) if missing else FREE
    limits = {} if transcript.deadline == inf else {"deadline": transcript.deadline}
    for _ in range(_TIMES_PAID):
        if not missing:
            break
        if ceiling.dollars or ceiling.unpriced:  # a model on this machine bills nobody
            transcript.sending(model.name, request, missing, ceiling, prompt.text)
        lost = []
        for answer in model.sample(prompt, missing, request=request, seed=seed, **limits):
            transcript.keep(answer, prompt.text)
            if answer.call.problem:
                problem = answer.call.problem
                lost += [answer.call.sample] * answer.again
            else:
                answers[answer.call.sample] = answer
        missing = [sample for sample in lost if transcript.afford(ceiling)]
        problem += "; the budget has no room to ask again" * (len(missing) < len(lost))
    if not answers and n:
        raise NoAnswerError(f"{model.name}: {problem}")
    return [answers[sample] for sample in sorted(answers)]


_REFITS = 6
_TIMES_PAID = 2
"""How often a sample may be sent that is charged whether an answer comes or not."""

LEAST_ANSWER = 256
"""Tokens; with fewer left for the answer, a prompt is too long."""


def fitting(model: Model, write: Callable[[int], Prompt], most: int) -> Prompt:
    """What ``write`` makes for at most ``most`` tokens, or for fewer if the model takes fewer.

    Raises what ``write`` raises for too few, as :class:`~maxcode.errors.PromptTooLongError` where
    it is the model that takes no more.
    """
    limit = model.longest_prompt() or most
    if limit >= most:
        return write(most)
    try:
        return write(limit)
    except ContextError:  # then the answer has to do with less
        limit = min(max(model.context() - LEAST_ANSWER, limit), most)
    try:
        return write(limit)
    except ContextError as error:
        raise PromptTooLongError(
            f"{model.name} takes prompts of about {limit:,} tokens: {error}", context=limit
        ) from error


def ask_fitting(
    model: Model,
    write: Callable[[int], Prompt],
    most: int,
    n: int,
    *,
    seed: int,
    transcript: Transcript,
) -> tuple[Prompt, list[Answer]]:
    """As :func:`ask`, with a prompt that is made shorter while the model finds it too long.

    ``write`` and ``most`` are those of :func:`fitting`. What a refusal says of the context and the
    prompt decides how much shorter, so that the same refusals lead to the same prompts. Raises
    :class:`~maxcode.errors.PromptTooLongError` where nothing shorter can be written, either.
    """
    refused: PromptTooLongError | None = None
    for _ in range(_REFITS):
        known = model.longest_prompt()
        try:
            prompt = fitting(model, write, most)
        except ContextError as error:
            if refused is None:
                raise
            raise PromptTooLongError(f"{refused}; {error}") from error
        try:
            return prompt, ask(model, prompt, n, seed=seed, transcript=transcript)
        except PromptTooLongError as error:
            refused = error
        if model.longest_prompt() == known:  # nothing was learned but that it is too long
            most = _shorter(refused, estimate(prompt.size), known)
    raise refused or PromptTooLongError(f"{model.name}: no prompt was short enough")


def _shorter(refused: PromptTooLongError, estimated: int, room: int) -> int:
    """How many tokens to allow, by our estimate, after a prompt of so many was refused."""
    most = estimated * 2 // 3
    if refused.prompt and room:
        most = room * estimated // refused.prompt
    return min(most, estimated * 9 // 10)


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
