"""Model: the interface that providers implement."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from pydantic import JsonValue

from maxcode.budget import FREE, Answer, Cost, Transcript
from maxcode.errors import ContextError, NoAnswerError, PromptTooLongError
from maxcode.models.prices import Price

_SYSTEM, _USER = "[system]\n", "\n\n[user]\n"  # before the parts of a prompt as text


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system prompt and a message of the user, in parts.

    Providers cache the beginning of a request and charge less for repetitions. So the constant text
    is at the front: the ``system`` prompt, then all ``parts`` but the last, each ending where later
    prompts may differ (the task; a part for each attempt). The last part is the question.
    ``dropped`` are the ids of steps left out.
    """

    system: str
    parts: tuple[str, ...]
    dropped: tuple[int, ...] = ()

    @property
    def user(self) -> str:
        """The user's message in a single text."""
        return "\n\n".join(self.parts)

    @property
    def text(self) -> str:
        """All of it for people, as it is kept in the journal."""
        return f"{_SYSTEM}{self.system}{_USER}{self.user}"

    @classmethod
    def of(cls, text: str) -> Prompt:
        """The prompt of a :attr:`text`, its user's message as one part."""
        system, _, user = text.partition(_USER)
        return cls(system.removeprefix(_SYSTEM), (user,))

    @property
    def messages(self) -> list[dict[str, str]]:
        """Both as messages of a chat."""
        return [
            {"role": "system", "content": self.system},
            {"role": "user", "content": self.user},
        ]

    @property
    def size(self) -> int:
        """Bytes in UTF-8."""
        return sum(len(part.encode()) for part in (self.system, *self.parts))


@dataclass(frozen=True, slots=True)
class Awaited:
    """Requests under way: their number, and the age of the first in ``seconds``.

    ``tokens`` of their answers have arrived, as far as known. ``problem`` says why the last attempt
    failed, and which follows; empty while all goes well.
    """

    requests: int
    seconds: float
    tokens: int
    problem: str = ""


class Model(ABC):
    """A language model, ready to be asked. Safe to use from several threads at once.

    ``name`` is its name in the journal, as in "anthropic:claude-sonnet-5-5". ``price`` is None if
    unknown.
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
        allows it, randomness comes from ``seed`` and that number. A sample without a whole answer,
        after all attempts or at the ``deadline`` (a reading of :func:`time.monotonic`), is an
        answer whose call has a ``problem``, and the usage of the attempts. Raises
        :class:`~maxcode.errors.ModelError`, before or between answers, for errors that would recur
        (a wrong key, an unknown model), and :class:`~maxcode.errors.PromptTooLongError` if a
        shorter prompt would help.
        """

    @abstractmethod
    def ceiling(self, prompt_bytes: int, n: int) -> Cost:
        """The highest cost of ``n`` samples of a prompt of that many bytes (UTF-8).

        Each is billed once: a lost sample asked for again is two.
        """

    @abstractmethod
    def parameters(self) -> Mapping[str, JsonValue]:
        """Everything that decides answers besides prompt and seed: model, address, temperature, ...

        No key is among them.
        """

    def longest_prompt(self) -> int:
        """Most tokens of a prompt; 0 if unknown."""
        return 0

    def awaited(self) -> Awaited | None:
        """The requests under way; None for none, or if unknown."""
        return None

    @property
    def identity(self) -> str:
        """Identity of the model in comparisons: its name, settings and price."""
        settings = json.dumps(dict(self.parameters()), sort_keys=True)
        return f"{self.name}, {settings}, {self.price}"

    def stop(self) -> None:  # noqa: B027 - optional
        """Cancel requests under way: the search ends. Does nothing by default."""

    def request(self, prompt: Prompt, seed: int) -> str:
        """The digest that names a request: of model, prompt and seed."""
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
    """``n`` answers, or the available ones, in the order of their numbers.

    Answers in the transcript are not asked again, and new answers are kept there at once. A sent
    and lost sample is asked for once more, if the budget has room for both. ``request`` names the
    request, unless it is the digest of everything that decides the answer. Raises
    :class:`~maxcode.errors.NoAnswerError` without any answer.
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
"""Most paid requests for a sample, if lost answers are charged, too."""

LEAST_ANSWER = 256
"""Tokens; with fewer left for the answer, a prompt is too long."""


def fitting(model: Model, write: Callable[[int], Prompt], most: int) -> Prompt:
    """The result of ``write`` for at most ``most`` tokens, or for fewer if the model takes fewer.

    Raises the errors of ``write`` for too few, as :class:`~maxcode.errors.PromptTooLongError` where
    the model sets the limit.
    """
    limit = model.longest_prompt() or most
    if limit >= most:
        return write(most)
    try:
        return write(limit)
    except ContextError as error:
        raise PromptTooLongError(
            f"{model.name} takes prompts of about {limit:,} tokens: {error}"
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
    """As :func:`ask`, with a prompt shortened by a third while the model finds it too long.

    ``write`` and ``most`` are those of :func:`fitting`. Raises
    :class:`~maxcode.errors.PromptTooLongError` if no shorter prompt can be written.
    """
    refused: PromptTooLongError | None = None
    for _ in range(_REFITS):
        try:
            prompt = fitting(model, write, most)
        except ContextError as error:
            if refused is None:
                raise
            raise PromptTooLongError(f"{refused}; {error}") from error
        try:
            return prompt, ask(model, prompt, n, seed=seed, transcript=transcript)
        except PromptTooLongError as error:
            refused, most = error, shorter(prompt)
    raise refused or PromptTooLongError(f"{model.name}: no prompt was short enough")


def shorter(prompt: Prompt) -> int:
    """How many tokens to allow, by our estimate, after a prompt was refused."""
    return estimate(prompt.size) * 2 // 3


BYTES_PER_TOKEN = 3.0
"""Assumed where a provider does not report its tokens; 2.5 to 4 are usual for code."""

FEWEST_BYTES_PER_TOKEN = 1.5
"""Bytes a token for reservations; only long rows of digits have more tokens, with some tokenizers.
"""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a request, in classes of the same price; see :class:`maxcode.budget.Call`."""

    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    thinking: int = 0

    @property
    def total(self) -> int:
        """All tokens, in and out."""
        return self.input + self.cached + self.written + self.output

    @property
    def uncached(self) -> Tokens:
        """This usage without a cache."""
        return Tokens(self.input + self.cached + self.written, 0, 0, self.output, self.thinking)

    def dollars(self, price: Price | None) -> float:
        """The price of a request; 0 for an unknown price."""
        counts = {"input": self.input, "cached": self.cached, "written": self.written}
        return price.dollars(**counts, output=self.output) if price else 0.0


def estimate(size: int) -> int:
    """Roughly how many tokens a text of so many bytes has."""
    return -int(-size // BYTES_PER_TOKEN)


def upper_bound(size: int) -> int:
    """Most tokens of a prompt of so many bytes, its frame included."""
    return -int(-size // FEWEST_BYTES_PER_TOKEN) + 64
