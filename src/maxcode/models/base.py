"""Model: the one thing that differs between providers."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pydantic import JsonValue

from maxcode.calls import Answer, Transcript
from maxcode.cost import Cost
from maxcode.errors import NoAnswerError
from maxcode.models.prices import Price
from maxcode.models.prompt import Prompt


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
        lets one, randomness comes from ``seed`` and that number. A sample that cannot be had, after
        all patience, is an answer whose call has a ``problem``, with what was used in vain. Raises
        :class:`~maxcode.errors.ModelError`, before or between answers, for what will not mend
        itself (a wrong key, an unknown model, a prompt that is too long).
        """

    @abstractmethod
    def ceiling(self, prompt_bytes: int, n: int) -> Cost:
        """The most that ``n`` samples of a prompt of that many bytes (UTF-8) can cost.

        What retries use in vain is included.
        """

    @abstractmethod
    def parameters(self) -> Mapping[str, JsonValue]:
        """All that decides answers besides prompt and seed: model, address, temperature, ...

        No key is among them.
        """

    @property
    def identity(self) -> str:
        """Tells the model from others with other settings or another price, to comparisons.

        When and where a price was read tells nothing: the same prices are the same model.
        """
        settings = json.dumps(dict(self.parameters()), sort_keys=True)
        price = self.price and replace(self.price, as_of=None, source="")
        return f"{self.name}, {settings}, {price}"

    def stop(self) -> None:  # noqa: B027 - optional
        """Give up what is under way: the search ends. Does nothing by default."""

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
    missing = [sample for sample in range(n) if sample not in answers]
    if missing:
        for answer in model.sample(prompt, missing, request=request, seed=seed):
            transcript.keep(answer, prompt.text)
            if answer.call.problem:
                problem = answer.call.problem
            else:
                answers[answer.call.sample] = answer
    if not answers and n:
        raise NoAnswerError(f"{model.name}: {problem}")
    return [answers[sample] for sample in sorted(answers)]
