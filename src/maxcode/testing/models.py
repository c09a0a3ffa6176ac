"""A model that follows a script, and a transcript in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from threading import Lock

from pydantic import JsonValue

from maxcode.budget import Answer, Call, Cost, Stop, Transcript
from maxcode.models.base import Model, Prompt
from maxcode.models.prices import Price

_BYTES = 4  # to a token, both ways


class ScriptedModel(Model):
    """Answers by a function of the prompt and the sample's number; no network, no wait.

    The function returns a text, or an exception to raise. A token has four bytes, and an answer of
    more than ``max_tokens`` is truncated. ``price`` None is an unknown price. Paid prompts are in
    ``calls``, in order.
    """

    def __init__(
        self,
        script: Callable[[Prompt, int], str | Exception],
        *,
        price: Price | None = None,
        max_tokens: int = 4096,
        name: str = "scripted:model",
    ) -> None:
        self.name = name
        self.script = script
        self.price = price
        self.max_tokens = max_tokens
        self.calls: list[tuple[Prompt, int]] = []

    def sample(
        self,
        prompt: Prompt,
        samples: Sequence[int],
        *,
        request: str,
        seed: int,  # noqa: ARG002 - the script decides
        deadline: float = inf,  # noqa: ARG002 - it takes no time
    ) -> Iterator[Answer]:
        """The script's answers, in the order of samples."""
        for sample in samples:
            text = self.script(prompt, sample)
            if isinstance(text, Exception):
                raise text
            self.calls.append((prompt, sample))
            data = text.encode()
            stop = Stop.END
            if len(data) > self.max_tokens * _BYTES:
                data, stop = data[: self.max_tokens * _BYTES], Stop.LENGTH
            call = self._call(request, sample, _tokens(prompt.size), _tokens(len(data)))
            yield Answer(data.decode(errors="ignore"), call, stop)

    def ceiling(self, prompt_bytes: int, n: int) -> Cost:
        """Cost of answers of maximum length."""
        return self._call("", 0, n * _tokens(prompt_bytes), n * self.max_tokens).cost

    def _call(self, request: str, sample: int, shown: int, written: int) -> Call:
        dollars = self.price.dollars(input=shown, output=written) if self.price else None
        used = Call(self.name, request, sample, input=shown, output=written, seconds=0.5)
        return replace(used, dollars=dollars)

    def parameters(self) -> Mapping[str, JsonValue]:
        """The limit ``max_tokens`` only."""
        return {"max_tokens": self.max_tokens}


def _tokens(size: int) -> int:
    return -(-size // _BYTES)


class MemoryTranscript(Transcript):
    """Keeps answers in ``kept``, in order of arrival."""

    def __init__(self) -> None:
        self.kept: list[Answer] = []
        self._by_request: dict[tuple[str, int], Answer] = {}
        self._lock = Lock()

    def find(self, request: str, sample: int) -> Answer | None:
        """The answer kept for this sample."""
        return self._by_request.get((request, sample))

    def keep(self, answer: Answer, prompt: str) -> None:  # noqa: ARG002
        """Keep an answer; a failure is listed, but not found by :meth:`find`."""
        with self._lock:
            self.kept.append(answer)
            if not answer.call.problem:
                self._by_request[answer.call.request, answer.call.sample] = answer
