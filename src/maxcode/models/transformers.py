"""TransformersModel: weights on this machine, run through transformers."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from math import inf
from pathlib import Path
from random import Random
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING

from pydantic import JsonValue

from maxcode.budget import Answer, Call, Cost, Stop
from maxcode.errors import InputError, ModelError, PromptTooLongError, ToolError
from maxcode.models.base import LEAST_ANSWER, Awaited, Model, Prompt
from maxcode.models.prices import Price

if TYPE_CHECKING:
    from maxcode.models.weights import Chat, Weights

_DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?")
_DTYPES = ("auto", "float32", "float16", "bfloat16")
_ADDED = 16  # tokens that stand for no byte: the beginning of a text, a blank put before it


class TransformersModel(Model):
    """A causal language model in a folder, as ``save_pretrained`` writes it; ``hf:PATH``.

    Nothing is downloaded, and no code of the folder is run. ``adapter`` is the folder of a peft
    adapter for it. ``device`` is "auto" (a GPU if there is one), "cpu", "cuda" or "cuda:1", and
    ``dtype`` "auto" (the one of the weights), "float32", "float16" or "bfloat16". Weights are
    loaded when they are first needed. An answer has at most ``max_tokens`` tokens, fewer where the
    model's context leaves less room; a ``temperature`` of 0 takes the likeliest token each time.
    ``batch`` samples are written at a time, which is what decides the memory that is needed.

    Randomness comes from ``seed`` and the numbers of a batch's samples, on one device and version
    of torch. Requests from several threads are served one after the other.

    Raises :class:`~maxcode.errors.InputError` for a folder or an option that cannot be, and, when
    first used, :class:`~maxcode.errors.ToolError` where transformers, torch, peft or the GPU is
    missing.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        adapter: str | Path | None = None,
        device: str = "auto",
        dtype: str = "auto",
        max_tokens: int = 8192,
        temperature: float = 0.8,
        top_p: float = 0.95,
        batch: int = 8,
    ) -> None:
        self.name = f"hf:{path}"
        self.price = Price(0.0, 0.0, 0.0, 0.0)
        self.path = model_folder(path, "config.json", "the weights of a model")
        self.adapter = adapter and model_folder(adapter, "adapter_config.json", "a peft adapter")
        for option, fits in {
            f"device={device!r}": _DEVICE.fullmatch(device),
            f"dtype={dtype!r}": dtype in _DTYPES,
            f"max_tokens={max_tokens}": max_tokens > 0,
            f"temperature={temperature}": temperature >= 0,
            f"top_p={top_p}": 0 < top_p <= 1,
            f"batch={batch}": batch > 0,
        }.items():
            if not fits:
                raise InputError(f"{self.name}: {option} cannot be; see TransformersModel")
        self.device, self.dtype = device, dtype
        self.max_tokens, self.batch = max_tokens, batch
        self.temperature, self.top_p = temperature, top_p
        self.checkpoint = ""  # names weights that were trained after loading
        self._lock = Lock()
        self._loading = Lock()  # of the tokenizer, which costs need while answers are written
        self._stops = 0
        self._since, self._count, self._came = 0.0, 0, 0  # of the batch that is being written

    def sample(
        self,
        prompt: Prompt,
        samples: Sequence[int],
        *,
        request: str,
        seed: int,
        deadline: float = inf,
    ) -> Iterator[Answer]:
        """Answers in batches, each batch when it is done."""
        stops = self._stops
        numbers = iter(samples)
        while chosen := list(islice(numbers, self.batch)):
            with self._lock:
                if stops != self._stops:
                    raise ModelError(f"{self.name}: given up: it was stopped")
                self._since, self._count, self._came = time.monotonic(), len(chosen), 0
                try:
                    answers = self._answers(prompt, chosen, request, seed, stops, deadline)
                finally:
                    self._count = 0
            yield from answers

    def ceiling(self, prompt_bytes: int, n: int) -> Cost:
        """As if each byte were a token, of the prompt and of the chat template."""
        with self._loading:
            most = prompt_bytes + self._frame + _ADDED + self.max_tokens
        if self._context:
            most = min(most, self._context)
        return Cost(tokens=n * most)

    def parameters(self) -> Mapping[str, JsonValue]:
        """Everything that decides answers; of weights a fingerprint: names, sizes and dates of the
        files."""
        trained = {"checkpoint": self.checkpoint} if self.checkpoint else {}
        return {
            **trained,
            "weights": self._fingerprint,
            "dtype": self.dtype,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
        }

    def longest_prompt(self) -> int:
        """By the model's context; the answer gets no more than a third of it."""
        return self._context - min(self.max_tokens, self._context // 3)

    def awaited(self) -> Awaited | None:
        """The batch being written."""
        count = self._count
        return Awaited(count, time.monotonic() - self._since, self._came) if count else None

    @contextmanager
    def trained(self) -> Iterator[tuple[Chat, Weights]]:
        """Tokenizer and weights for a trainer; no answer is written meanwhile."""
        with self._lock, self._loading:
            yield self._chat, self._weights

    def stop(self) -> None:
        """End the answers being written, at their next token. Later requests are served."""
        self._stops += 1

    def _answers(
        self,
        prompt: Prompt,
        samples: list[int],
        request: str,
        seed: int,
        stops: int,
        deadline: float,
    ) -> list[Answer]:
        started = time.perf_counter()
        with self._loading:
            tokens = self._chat.encode(prompt.system, prompt.user)
        room = self._room(len(tokens))
        draw = Random(f"{seed} {samples}").getrandbits(63), self.temperature, self.top_p

        def stopped() -> bool:
            self._came += len(samples)  # called once for each token of every sample
            return stops != self._stops or time.monotonic() >= deadline

        try:
            rows = self._weights.generate(tokens, len(samples), room, self._ends, draw, stopped)
        except MemoryError as error:
            raise ModelError(
                f"{self.name}: {error} for {len(samples)} answers at a time; "
                f"set batch below {self.batch}, or max_tokens below {self.max_tokens}"
            ) from error
        if stops != self._stops:
            raise ModelError(f"{self.name}: given up: it was stopped")
        seconds = time.perf_counter() - started
        answers = []
        for sample, row in zip(samples, rows, strict=True):
            thinking, text = self._chat.decode(row, tokens)
            whole = bool(row) and (row[-1] in self._ends or len(row) >= room)
            call = Call(
                self.name,
                request,
                sample,
                input=len(tokens),
                output=len(row),
                thinking=thinking,
                seconds=seconds,
                dollars=0.0,
                problem="" if whole else "not whole when the time of the search was over",
            )
            stop = Stop.END if row and row[-1] in self._ends else Stop.LENGTH
            answers.append(Answer(text if whole else "", call, stop))
        return answers

    def _room(self, prompt: int) -> int:
        """How many tokens an answer may have after a prompt of so many."""
        room = self._context - prompt if self._context else self.max_tokens
        if room < min(self.max_tokens, LEAST_ANSWER):
            raise PromptTooLongError(
                f"{self.name}: the prompt has {prompt} tokens and the model's context "
                f"{self._context}, which leaves less than {LEAST_ANSWER} for the answer; "
                "make prompts shorter, or use a model with a larger context"
            )
        return min(room, self.max_tokens)

    # -- what is loaded when it is first needed, under the lock ---------------------------------

    @cached_property
    def _chat(self) -> Chat:
        return self._heavy.Chat(self.path)  # type: ignore[no-any-return]

    @cached_property
    def _weights(self) -> Weights:
        return self._heavy.Weights(  # type: ignore[no-any-return]
            self.path, self.adapter, self.device, self.dtype
        )

    @property
    def _heavy(self) -> ModuleType:
        try:
            from maxcode.models import weights  # noqa: PLC0415 - imports torch and transformers
        except ImportError as error:
            raise ToolError(
                f"{self.name}: {error.name} is not installed; pip install 'maxcode[transformers]'"
            ) from error
        return weights

    @cached_property
    def _ends(self) -> set[int]:
        return self._weights.ends | ({self._chat.tokenizer.eos_token_id} - {None})

    @cached_property
    def _frame(self) -> int:
        """Bytes of the chat template."""
        return len(self._chat.framed("", "").encode())

    @cached_property
    def _context(self) -> int:
        """How many tokens prompt and answer may have together; 0 if the model does not say."""
        config = json.loads((self.path / "config.json").read_text("utf-8"))
        config = config.get("text_config", config)
        return int(config.get("max_position_embeddings") or config.get("n_positions") or 0)

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint([self.path, *([self.adapter] if self.adapter else [])])


def fingerprint(folders: Sequence[Path]) -> str:
    """A digest of the names, sizes and dates of the files in folders of weights."""
    content = hashlib.sha256()
    for folder in folders:
        for file in sorted(file for file in folder.iterdir() if file.is_file()):
            status = file.stat()
            content.update(f"{file.name} {status.st_size} {status.st_mtime_ns}\n".encode())
        content.update(b"\n")
    return content.hexdigest()[:16]


def model_folder(path: str | Path, file: str, what: str) -> Path:
    """The folder, if it holds that file. Raises :class:`InputError`."""
    folder = Path(path).expanduser()
    if not (folder / file).is_file():
        raise InputError(f"{path} does not hold {what}: there is no {folder / file}")
    return folder
