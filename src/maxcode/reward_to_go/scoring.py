"""The forward passes behind an estimate. Importing this takes seconds."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from maxcode.errors import ToolError
from maxcode.reward_to_go.text import Encoder


def padded(rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Token sequences side by side, (rows, longest), and where each ends, (rows, 1).

    They are filled up at their ends with their last token. What comes behind a position does not
    matter to it in a causal model, so no mask is needed.
    """
    longest = max(map(len, rows))
    tokens = [[*row, *[row[-1]] * (longest - len(row))] for row in rows]
    return torch.tensor(tokens), torch.tensor([[len(row) - 1] for row in rows])


def logits_at(
    model: Any, tokens: torch.Tensor, last: torch.Tensor, cache: Any = None
) -> torch.Tensor:
    """The logits behind one position of each row, (rows, vocabulary); no others are computed."""
    found: torch.Tensor = model(
        input_ids=tokens, logits_to_keep=last, past_key_values=cache, use_cache=cache is not None
    ).logits
    if found.shape[:2] != last.shape:
        raise ToolError(
            f"this version of transformers cannot compute single logits of a {type(model).__name__}"
            "; pip install -U transformers"
        )
    return found[:, 0]


class Scorer:
    """Probabilities of the bins by a causal language model, ``batch`` candidates at a time."""

    def __init__(self, model: Any, encoder: Encoder, batch: int) -> None:
        self.model = model
        self.encoder = encoder
        self.batch = batch

    def distributions(
        self,
        state: str,
        candidates: Sequence[str],
        *,
        reuse_prefix: bool = True,
        check: Callable[[], None] = lambda: None,
    ) -> list[tuple[float, ...]]:
        """The probability of each bin for each candidate, in their order.

        With ``reuse_prefix`` the state is read once, not once a candidate. ``check`` is called
        before each batch and may raise. Raises ``MemoryError`` when the device has too little.
        """
        prefix = self.encoder.prefix(state)
        rows = [self.encoder.suffix(candidate, len(prefix)) for candidate in candidates]
        found: dict[int, tuple[float, ...]] = {}
        try:
            with torch.inference_mode():
                cache = self._cache(prefix) if reuse_prefix and rows else None
                for chosen in self._batches(rows):
                    check()
                    tokens = [prefix * (cache is None) + rows[i] for i in chosen]
                    found.update(zip(chosen, self._ask(tokens, cache), strict=True))
        except torch.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            raise MemoryError(f"{self.model.device} has too little memory") from error
        return [found[i] for i in range(len(rows))]

    def _batches(self, rows: Sequence[Sequence[int]]) -> list[list[int]]:
        """Rows of about the same length together, the longest first: they need most memory."""
        order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
        return [order[i : i + self.batch] for i in range(0, len(order), self.batch)]

    def _ask(self, rows: Sequence[Sequence[int]], cache: DynamicCache | None) -> list[Any]:
        tokens, last = (part.to(self.model.device) for part in padded(rows))
        own = None if cache is None else _expanded(cache, len(rows))
        logits = logits_at(self.model, tokens, last, own)[:, self.encoder.labels]
        return [tuple(row) for row in logits.double().softmax(-1).tolist()]

    def _cache(self, prefix: Sequence[int]) -> DynamicCache | None:
        """Keys and values of the prefix; None of a model that keeps something else."""
        cache = DynamicCache(config=self.model.config)
        if not all(type(layer) in _KEPT for layer in cache.layers):
            return None
        tokens, last = (part.to(self.model.device) for part in padded([prefix]))
        logits_at(self.model, tokens, last, cache)
        return cache


_KEPT = (DynamicLayer, DynamicSlidingWindowLayer)


def _expanded(cache: DynamicCache, rows: int) -> DynamicCache:
    """The cache for so many rows, without a copy; what is added to it leaves the first alone.

    Layers put new tensors in the place of their old ones when they grow, so copies of the layers
    are enough.
    """
    own = copy.copy(cache)
    layers: list[Any] = [copy.copy(layer) for layer in cache.layers]
    own.layers = layers
    for layer in (layer for layer in layers if layer.is_initialized):  # some share others'
        layer.keys = layer.keys.expand(rows, -1, -1, -1)
        layer.values = layer.values.expand(rows, -1, -1, -1)
    return own
