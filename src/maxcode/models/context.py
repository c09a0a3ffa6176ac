"""A model's context, for prompt and answer together, read from servers' messages."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TOO_LONG = re.compile(
    r"(prompt|input|messages) (is|are) too (long|large)|input.{0,20} is too large to process"
    r"|too many (input |prompt )?tokens|context[ _](length|window|limit)|maximum context"
    r"|exceed_context_size|context size has been exceeded"
    r"|exceeds? .{0,40}(context|limit of tokens)",
    re.IGNORECASE,
)
_NUMBER = r"(\d++(?:,\d{3})*+)"
_CONTEXTS = (
    rf"context (?:length|window|limit)(?: is|:| of)?(?: only)? {_NUMBER}(?! \+)",
    rf"available context size \({_NUMBER}",
    rf"> {_NUMBER}\b(?! - )",
    rf"context \(n_ctx ?= ?{_NUMBER}",
    rf"current batch size: {_NUMBER}",
)
_PROMPTS = (
    rf"{_NUMBER} (?:of text input )?(?:tokens )?in the (?:messages|prompt|input)",
    rf"request has {_NUMBER} input tokens",
    rf"prompt contains (?:at least )?{_NUMBER}",
    rf"(?:request|input) \({_NUMBER} tokens\)",
    rf"too long: {_NUMBER} tokens",
    rf"context limit: {_NUMBER} \+",
)


def says_too_long(message: str) -> bool:
    """Whether an error says that the prompt, or prompt and answer, exceed the context."""
    return _TOO_LONG.search(message) is not None


def sizes(message: str, body: object = None) -> tuple[int, int]:
    """Tokens of the prompt and of the context in such an error; 0 if not named.

    Known are OpenAI's wording, which many repeat, and those of Anthropic, llama.cpp and vLLM.
    """
    error = body.get("error", body) if isinstance(body, Mapping) else {}
    fields = error if isinstance(error, Mapping) else {}
    prompt, context = (_whole(fields.get(name)) for name in ("n_prompt_tokens", "n_ctx"))
    return prompt or _first(_PROMPTS, message), context or _first(_CONTEXTS, message)


def _whole(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _first(patterns: tuple[str, ...], message: str) -> int:
    found = (re.search(pattern, message, re.IGNORECASE) for pattern in patterns)
    return next((int(one[1].replace(",", "")) for one in found if one), 0)
