# ruff: noqa: PLC0415 - what reads tokenizers takes seconds to import, and is an extra
"""Window: what a served model is shown of long texts, as it was in training."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from maxcode.reward_to_go.saved import Saved
from maxcode.reward_to_go.text import QUESTION, instructions

if TYPE_CHECKING:
    from maxcode.reward_to_go.encoding import Encoder

_GAP = b"\n[...]\n"
_FRAME = 200  # bytes that a chat template may add
_LEAST = 64


class Window:
    """Cuts texts to the context of a saved language model: its tokenizer decides where.

    Without transformers each byte counts as a token, so that what is left certainly fits: a third
    or a quarter of what could be shown. Raises :class:`~maxcode.errors.InputError`, when first
    used, for a folder without a tokenizer.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._saved = Saved.read(folder)
        self._lock = Lock()  # tokenizers are used by one thread at a time

    def shown(self, state: str, candidates: list[str]) -> tuple[str, list[str]]:
        """The state, and each candidate behind it, without their middles where they are long."""
        if self._saved.kind != "transformers":
            return state, candidates
        with self._lock:
            if encoder := self._encoder:
                return encoder.shown(state, candidates)
        room = self._room
        state = within(room * 2 // 3, state)
        return state, [within(room - len(state.encode()), text) for text in candidates]

    @cached_property
    def _encoder(self) -> Encoder | None:
        try:
            from maxcode.reward_to_go.encoding import Encoder
        except ImportError:
            return None
        saved = self._saved
        return Encoder(self.folder, saved.bins, saved.returns, saved.tokens)

    @property
    def _room(self) -> int:
        asked = instructions(self._saved.bins, self._saved.returns) + QUESTION
        return max(self._saved.tokens - len(asked.encode()) - _FRAME, _LEAST)


def within(most: int, text: str) -> str:
    """The text, without its middle where it has more than so many bytes."""
    data = text.encode()
    if len(data) <= most:
        return text
    kept = most - len(_GAP)
    first, last = data[: kept // 2], data[len(data) - (kept - kept // 2) :]
    return (first + _GAP + last).decode(errors="ignore")
