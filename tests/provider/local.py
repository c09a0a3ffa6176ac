"""Servers of models on one's own machine: a small context, and each its own words for it.

As observed of llama.cpp's server (build 11434) and vLLM (0.10) when each was asked for more than
its context holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tests.provider.messages import (
    Choice,
    ProviderError,
    Request,
    count_tokens,
    cut_to_tokens,
)

from maxcode.budget import Stop

Kind = Literal["llama.cpp", "vllm"]


@dataclass(frozen=True, slots=True)
class Local:
    """A server whose prompts and answers have at most ``context`` tokens together.

    ``total`` is what all answers that are written at a time share (llama.cpp with a unified cache),
    0 for no such limit. ``room`` is by how much its tokens exceed those that :func:`count_tokens`
    counts.
    """

    kind: Kind
    context: int
    total: int = 0
    room: float = 1.0

    def input(self, request: Request) -> int:
        """Tokens of a prompt by this server."""
        return round(sum(count_tokens(block.text) for block in request.blocks) * self.room)

    def check(self, request: Request) -> None:
        """Raise the refusal of a prompt that is too long."""
        prompt, most = self.input(request), request.max_tokens
        if self.kind == "vllm" and prompt + most > self.context:
            raise ProviderError(
                400,
                f"'max_tokens' or 'max_completion_tokens' is too large: {most}. This model's "
                f"maximum context length is {self.context} tokens and your request has {prompt} "
                f"input tokens ({most} > {self.context} - {prompt}).",
            )
        if prompt < self.context:
            return
        raise ProviderError(
            400,
            f"request ({prompt} tokens) exceeds the available context size ({self.context} "
            "tokens), try increasing it",
            kind="exceed_context_size_error",
            fields={"n_prompt_tokens": prompt, "n_ctx": self.context},
        )

    def cut(self, request: Request, choice: Choice) -> Choice:
        """The choice as far as the context lets it be written.

        Raises the server's error where it fills what all answers share.
        """
        room = self.context - self.input(request)
        if choice.output > room:
            text = cut_to_tokens(choice.text, room)
            choice = replace(choice, text=text, stop=Stop.LENGTH, output=count_tokens(text))
        if self.total and self.input(request) + choice.output > self.total:
            raise ProviderError(500, "Context size has been exceeded.")
        return choice
