"""How providers cache prompts, as far as it decides what a request costs.

Anthropic keeps the prompt up to each marked block, from 1,024 tokens on, and a later request looks
back over 20 blocks from its marks (platform.claude.com/docs/en/build-with-claude/prompt-caching).
OpenAI keeps every prompt of 1,024 tokens or more, and a request reads the longest common beginning
in steps of 128 tokens (developers.openai.com/api/docs/guides/prompt-caching).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tests.provider.messages import Block, Request, count_tokens, to_bytes

LOOKBACK = 20
STEP = 128
MINIMUM = 1024


@dataclass(frozen=True, slots=True)
class Split:
    """A prompt's tokens by what they cost, and the entries to be written when the answer begins."""

    input: int
    cached: int
    written: int
    entries: tuple[bytes, ...] = ()


class PromptCache:
    """What a provider remembers of prompts. Thread-safe."""

    def __init__(self) -> None:
        self._entries: set[bytes] = set()

    def split(self, request: Request) -> Split:
        """What of the request's prompt is read, written and neither."""
        if request.api == "anthropic":
            return self._split_at_marks(request)
        return self._split_in_steps(request)

    def write(self, entries: tuple[bytes, ...]) -> None:
        """Make entries readable: the answer of the request that wrote them begins."""
        self._entries.update(entries)

    def _split_at_marks(self, request: Request) -> Split:
        digests = _digests(request.model, [_block_bytes(block) for block in request.blocks])
        tokens = [0]
        for block in request.blocks:
            tokens.append(tokens[-1] + count_tokens(block.text))
        marks = [  # in blocks, counted from 1
            end
            for end, block in enumerate(request.blocks, 1)
            if block.marked and tokens[end] >= MINIMUM
        ]
        places = {end for mark in marks for end in range(mark, max(0, mark - LOOKBACK), -1)}
        found = (end for end in sorted(places, reverse=True) if digests[end - 1] in self._entries)
        cached = tokens[next(found, 0)]
        kept = max(cached, tokens[marks[-1]]) if marks else 0
        entries = tuple(digests[mark - 1] for mark in marks)
        return Split(tokens[-1] - kept, cached, kept - cached, entries)

    def _split_in_steps(self, request: Request) -> Split:
        total = request.input_tokens
        if total < MINIMUM:
            return Split(total, 0, 0)
        prompt = b"".join(_block_bytes(block) for block in request.blocks)
        size = 4 * STEP
        steps = [prompt[start : start + size] for start in range(0, len(prompt) - size + 1, size)]
        digests = _digests(request.model, steps)
        shared = next((n for n in range(len(digests), 0, -1) if digests[n - 1] in self._entries), 0)
        cached = min(shared * STEP, total)
        if cached < MINIMUM:
            cached = 0
        return Split(total - cached, cached, 0, tuple(digests))


def _block_bytes(block: Block) -> bytes:
    return to_bytes(f"\0{block.role}\0{block.text}")


def _digests(model: str, pieces: list[bytes]) -> list[bytes]:
    """A digest of each beginning of a prompt: of the first piece, the first two, and so on."""
    state = hashlib.sha256(model.encode())
    digests = []
    for piece in pieces:
        state.update(piece)
        digests.append(state.copy().digest())
    return digests
