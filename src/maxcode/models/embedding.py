"""Embedding models: texts as vectors, so that programs can be compared by what they are about.

Each text is a request of its own, and its vector the text of an answer: journalled, billed and
found again like any other answer. The digest of the request depends on nothing but the model and
the text.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import inf, isfinite
from pathlib import Path
from threading import Lock
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, JsonValue

from maxcode.budget import Answer, Call, Cost
from maxcode.models.base import Model, Prompt, Tokens
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.models.resilience import Limits
from maxcode.models.transformers import fingerprint, model_folder
from maxcode.models.wire import Choice, Count, Draft, Optional, Order, Reply, parsed
from maxcode.system import check_libraries

if TYPE_CHECKING:
    from maxcode.models.weights import Encoder

Vector = npt.NDArray[np.float32]
"""A direction of length 1, shape (dimensions,)."""

_FIRST_SEED = 0  # no randomness: a text has one vector


def prompt_of(text: str) -> Prompt:
    """What an embedding model is asked for a text."""
    return Prompt("", (text,))


def request_of(model: Model, text: str) -> str:
    """The digest that names the request for a text's vector."""
    return model.request(prompt_of(text), _FIRST_SEED)


def packed(numbers: Sequence[float]) -> str:
    """A vector as the text of an answer: base64 of its direction in float32, little-endian.

    Raises ``ValueError`` for one that has no direction.
    """
    vector = np.asarray(numbers, dtype=np.float64)
    length = float(np.sqrt(vector @ vector)) if vector.ndim == 1 else 0.0
    if not (isfinite(length) and length > 0):
        raise ValueError("an embedding has no direction")
    return base64.b64encode((vector / length).astype("<f4").tobytes()).decode()


def unpacked(text: str) -> Vector:
    """The vector of an answer. Raises ``ValueError`` for a text that holds none."""
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4")


class OpenAIEmbedding(OpenAIModel):
    """An embedding model behind ``/v1/embeddings``: OpenAI, llama.cpp, vLLM, Ollama, ...

    The arguments and the errors are those of :class:`~maxcode.models.openai.OpenAIModel`.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        price: Price | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(
            model, base_url=base_url, key=key, max_tokens=1, price=price, limits=limits
        )

    def parameters(self) -> Mapping[str, JsonValue]:
        """See :meth:`maxcode.models.base.Model.parameters`."""
        return {"base_url": self.endpoint.url, "vectors": True}

    def requests(self, samples: Sequence[int]) -> list[tuple[int, ...]]:
        """One by one."""
        return [(sample,) for sample in samples]

    def _send(self, client: Any, order: Order, *, stream: bool, timeout: Any) -> Any:  # noqa: ARG002
        return client.embeddings.with_streaming_response.create(
            model=self.model, input=order.prompt.user, encoding_format="float", timeout=timeout
        )

    def _crowded(self, order: Order) -> None:
        """Nothing: no answer shares the context with another."""

    def _draft(self, order: Order) -> Draft:
        return _Embedding(order)


class _Usage(BaseModel):
    prompt_tokens: Count = 0


class _Entry(BaseModel):
    embedding: list[float]


class _Body(BaseModel):
    data: list[_Entry]
    usage: Annotated[_Usage | None, Optional] = None


class _Embedding(Draft):
    """A response with one vector."""

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self._vector = ""
        self._tokens = 0

    @property
    def whole(self) -> bool:
        """See :class:`~maxcode.models.wire.Draft`."""
        return bool(self._vector)

    def take(self, data: bytes) -> None:
        """See :class:`~maxcode.models.wire.Draft`."""
        body = parsed(_Body, data)
        if len(body.data) != 1:
            raise ValueError(f"{len(body.data)} embeddings came for one text")
        self._tokens = body.usage.prompt_tokens if body.usage else 0
        self._vector = packed(body.data[0].embedding)

    def reply(self) -> Reply:
        """See :class:`~maxcode.models.wire.Draft`."""
        return Reply((Choice(self._vector),), self.used(), estimated=self.doubt)

    def used(self) -> Tokens:
        """See :class:`~maxcode.models.wire.Draft`; there is no output."""
        return self.believed(Tokens(input=self._tokens), 0)


class TransformersEmbedding(Model):
    """Mean-pooled last hidden states of a model in a folder; ``hf:PATH``.

    Any model that ``AutoModel`` loads does, those made for embedding best. Nothing is downloaded,
    and no code of the folder is run. ``device`` is that of
    :class:`~maxcode.models.transformers.TransformersModel`. Nothing is cut off: a text that is
    longer than the model's context has no vector, since its beginning says nothing of the rest.

    Raises :class:`~maxcode.errors.InputError` for a folder that cannot be, and
    :class:`~maxcode.errors.ToolError` where transformers or torch is missing.
    """

    def __init__(self, path: str | Path, *, device: str = "auto") -> None:
        self.name = f"hf:{path}"
        self.price = Price(0.0, 0.0, 0.0, 0.0)
        self.path = model_folder(path, "config.json", "the weights of a model")
        self.device = device
        check_libraries(f"{self.name} needs", ("torch", "transformers"), "transformers")
        self._lock = Lock()

    def sample(
        self,
        prompt: Prompt,
        samples: Sequence[int],
        *,
        request: str,
        seed: int,  # noqa: ARG002 - a text has one vector
        deadline: float = inf,
    ) -> Iterator[Answer]:
        """The same vector for each sample. Raises :class:`PromptTooLongError` for a long text."""
        started = perf_counter()
        with self._lock:
            if monotonic() >= deadline:
                return
            vector, count = self._encoder.vector(prompt.user)
        for sample in samples:
            seconds = perf_counter() - started
            call = Call(self.name, request, sample, input=count, seconds=seconds, dollars=0.0)
            yield Answer(packed(vector), call)

    def ceiling(self, prompt_bytes: int, n: int) -> Cost:
        """As if each byte were a token."""
        return Cost(tokens=n * (prompt_bytes + 16))

    def parameters(self) -> Mapping[str, JsonValue]:
        """What decides vectors; of weights a fingerprint."""
        return {"weights": fingerprint([self.path]), "vectors": True}

    @cached_property
    def _encoder(self) -> Encoder:
        from maxcode.models.weights import Encoder  # noqa: PLC0415 - imports torch

        return Encoder(self.path, self.device)
