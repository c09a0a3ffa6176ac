"""FirstTokenModel: asked not for a text, but for how likely each first token of one is."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import JsonValue

from maxcode.models.completion import Completion
from maxcode.models.openai import OpenAIModel
from maxcode.models.prices import Price
from maxcode.models.resilience import Limits
from maxcode.models.wire import Choice, Draft, Failure, Order, Reply

_QUOTED = 40  # characters of an answer that is of no use
_NEVER = -500.0  # servers have such a number for what cannot be


class FirstTokenModel(OpenAIModel):
    """A model behind chat completions that tells ``logprobs``: vLLM, SGLang, OpenAI, ...

    The text of an answer is a JSON object: of each of the likeliest first tokens the natural
    logarithm of its chance. An answer that tells of none of ``tokens`` is of no use. Only one token
    is asked for, so models that think first are of none, either. ``top_logprobs`` is how many
    tokens are told of, at most 20 with most servers. The other arguments and the errors are those
    of :class:`~maxcode.models.openai.OpenAIModel`.
    """

    def __init__(
        self,
        model: str,
        *,
        tokens: Collection[str],
        base_url: str | None = None,
        key: str | None = None,
        top_logprobs: int = 20,
        price: Price | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(
            model,
            base_url=base_url,
            key=key,
            max_tokens=1,
            temperature=1.0,  # some servers apply it to what they tell
            stream=False,
            price=price,
            limits=limits,
        )
        self.tokens = tuple(tokens)
        self.top_logprobs = top_logprobs

    def parameters(self) -> Mapping[str, JsonValue]:
        """See :meth:`maxcode.models.base.Model.parameters`."""
        return {**super().parameters(), "top_logprobs": self.top_logprobs}

    def _body(self, order: Order, *, stream: bool) -> dict[str, Any]:
        told = {"logprobs": True, "top_logprobs": self.top_logprobs}
        return {**super()._body(order, stream=stream), **told}

    def _draft(self, order: Order) -> Draft:
        return _Tokens(order, self.tokens)


class _Tokens(Completion):
    """A completion of which only the first token counts."""

    def __init__(self, order: Order, wanted: Collection[str]) -> None:
        super().__init__(order)
        self._wanted = wanted

    def reply(self) -> Reply:
        reply = super().reply()
        told = [
            {token: chance for token, chance in chances.items() if chance > _NEVER}
            for chances in self.first_tokens
        ]
        for choice, chances in zip(reply.choices, told, strict=True):
            if chances.keys().isdisjoint(self._wanted):
                final = bool(chances) or not choice.empty  # it would come again
                raise Failure(self._problem(choice, chances), reply.usage, final=final)
        return Reply(tuple(Choice(json.dumps(chances)) for chances in told), reply.usage)

    def _problem(self, choice: Choice, chances: Mapping[str, float]) -> str:
        if not chances:
            return f"it told no logprobs, but answered {choice.text[:_QUOTED]!r}"
        first = ", ".join(repr(token[:_QUOTED]) for token in chances)
        return f"it would begin with {first}, and with none of {', '.join(self._wanted)}"
