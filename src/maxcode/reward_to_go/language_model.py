"""A language model as it estimates: its tokens and forward passes. Importing this takes seconds."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError
from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from maxcode.errors import InputError, ToolError
from maxcode.models.weights import Chat
from maxcode.reward_to_go.objective import Objective
from maxcode.reward_to_go.text import QUESTION, instructions

_USER = "(the message)"  # stands for it in the frame of the chat template
_GAP = "\n[...]\n"
_STATE = 2 / 3  # of the room, at most
_MIN_TOKENS = 64  # tokens for state and candidate
_FILES = ["*.json", "*.jinja", "*.model", "*.safetensors", "*.txt"]


class Encoder:
    """Turns a state and a candidate into at most ``context`` tokens, in two pieces.

    The first piece, of the system prompt and the state, is the same for all candidates there. A
    state takes at most two thirds of the room and the candidate the rest; longer texts lose their
    middle, and the question at the end stays. Special tokens in a program are read as plain text.
    ``labels`` are the tokens of the bins' labels. Raises :class:`~maxcode.errors.InputError` for a
    folder without a tokenizer, a label without a token of its own, and a context that is too small.
    """

    def __init__(self, folder: Path, objective: Objective, context: int) -> None:
        chat = Chat(folder)
        self.tokenizer = chat.tokenizer
        self.context = context
        self.labels = [self._label(label, folder) for label in objective.bins.labels]
        before, _, after = chat.framed(instructions(objective), _USER).rpartition(_USER)
        self._head = self._tokens(before, special=True)
        if not self.tokenizer.chat_template:  # which would write the token that begins texts
            begin = self.tokenizer.bos_token_id
            opening = [token for token in self.tokenizer("")["input_ids"] if token == begin]
            self._head = opening + self._head
        self._tail = self._tokens(QUESTION + after, special=True)
        self._gap = self._tokens(_GAP)
        self._room = context - len(self._head) - len(self._tail)
        if self._room < _MIN_TOKENS:
            raise InputError(
                f"a context of {context} tokens is too small: the question alone takes "
                f"{context - self._room}, and state and candidate need {_MIN_TOKENS}"
            )

    def prefix(self, state: str) -> list[int]:
        """The first piece."""
        return self._head + self._shortened(self._tokens(state), int(self._room * _STATE))

    def suffix(self, candidate: str, prefix: int) -> list[int]:
        """The second piece, after a first of ``prefix`` tokens; the answer follows."""
        room = self.context - prefix - len(self._tail)
        return self._shortened(self._tokens(candidate), room) + self._tail

    def _tokens(self, text: str, *, special: bool = False) -> list[int]:
        tokens: list[int] = self.tokenizer(
            text, add_special_tokens=False, split_special_tokens=not special, verbose=False
        )["input_ids"]
        return tokens

    def _shortened(self, tokens: list[int], most: int) -> list[int]:
        if len(tokens) <= most:
            return tokens
        kept = most - len(self._gap)
        return [*tokens[: kept // 2], *self._gap, *tokens[len(tokens) - (kept - kept // 2) :]]

    def _label(self, label: str, folder: Path) -> int:
        token = self.tokenizer.get_vocab().get(label)
        if token is None:
            raise InputError(
                f"the tokenizer of {folder} has no token for the bin {label!r} alone; "
                "use another model, or fewer bins"
            )
        return int(token)


def weights_folder(base: str, revision: str = "") -> Path:
    """The folder of a language model: a path, or a name on the Hugging Face hub.

    From there it is downloaded once, at the commit ``revision`` if given; the folder has the
    commit's name. Raises :class:`~maxcode.errors.InputError` for neither.
    """
    folder = Path(base).expanduser()
    if folder.exists():
        return folder
    try:
        return Path(snapshot_download(base, revision=revision or None, allow_patterns=_FILES))
    except (HfHubHTTPError, OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            f"{base} is no folder, and cannot be had from the Hugging Face hub: {reason}"
        ) from error


def padded(rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Token sequences side by side, (rows, longest), and their ends, (rows, 1).

    Shorter sequences repeat their last token. No mask is needed: in a causal model a position does
    not see later ones.
    """
    longest = max(map(len, rows))
    tokens = [[*row, *[row[-1]] * (longest - len(row))] for row in rows]
    return torch.tensor(tokens), torch.tensor([[len(row) - 1] for row in rows])


def logits_at(
    model: Any, tokens: torch.Tensor, last: torch.Tensor, cache: Any = None
) -> torch.Tensor:
    """The logits after a position of each row, (rows, vocabulary); no others are computed."""
    found: torch.Tensor = model(
        input_ids=tokens, logits_to_keep=last, use_cache=cache is not None, cache=cache
    ).logits
    if found.shape[:2] != last.shape:
        raise ToolError(
            f"this version of transformers cannot compute single logits of a {type(model).__name__}"
            "; pip install -U transformers"
        )
    return found[:, 0]


_EXPANDABLE = (DynamicLayer, DynamicSlidingWindowLayer)


class Scorer:
    """Probabilities of the bins by a causal language model, ``batch`` candidates at a time."""

    def __init__(self, model: Any, encoder: Encoder, batch: int) -> None:
        self.model = model
        self.encoder = encoder
        self.batch = batch

    def distributions(self, state: str, candidates: Sequence[str]) -> list[tuple[float, ...]]:
        """The probability of each bin for each candidate, in their order.

        The state is read once. Batches hold candidates of about the same length, the longest
        first, which need most memory. Raises ``MemoryError`` when the device has too little.
        """
        prefix = self.encoder.prefix(state)
        rows = [self.encoder.suffix(candidate, len(prefix)) for candidate in candidates]
        found: dict[int, tuple[float, ...]] = {}
        try:
            with torch.inference_mode():
                cache = self._cache(prefix) if rows else None
                longest_first = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
                for start in range(0, len(rows), self.batch):
                    chosen = longest_first[start : start + self.batch]
                    tokens = [prefix * (cache is None) + rows[i] for i in chosen]
                    found.update(zip(chosen, self._ask(tokens, cache), strict=True))
        except torch.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            raise MemoryError(f"{self.model.device} has too little memory") from error
        return [found[i] for i in range(len(rows))]

    def _ask(self, rows: Sequence[Sequence[int]], cache: DynamicCache | None) -> list[Any]:
        tokens, last = (part.to(self.model.device) for part in padded(rows))
        own = None if cache is None else _expanded(cache, len(rows))
        logits = logits_at(self.model, tokens, last, own)[:, self.encoder.labels]
        return [tuple(row) for row in logits.double().softmax(-1).tolist()]

    def _cache(self, prefix: Sequence[int]) -> DynamicCache | None:
        """Keys and values of the prefix; None of a model with another cache."""
        cache = DynamicCache(config=self.model.config)
        if not all(type(layer) in _EXPANDABLE for layer in cache.layers):
            return None
        tokens, last = (part.to(self.model.device) for part in padded([prefix]))
        logits_at(self.model, tokens, last, cache)
        return cache


def _expanded(cache: DynamicCache, rows: int) -> DynamicCache:
    """The cache for so many rows, without a copy of its tensors.

    Layers replace their tensors when they grow, so the first cache stays as it is.
    """
    own = copy.copy(cache)
    layers: list[Any] = [copy.copy(layer) for layer in cache.layers]
    own.layers = layers
    for layer in (layer for layer in layers if layer.is_initialized):  # some share others'
        layer.keys = layer.keys.expand(rows, -1, -1, -1)
        layer.values = layer.values.expand(rows, -1, -1, -1)
    return own
