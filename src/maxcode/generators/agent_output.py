"""Coding agents' reports of their cost, as their command lines print it.

============ ================================================ =====================================
agent        command                                          read fields
============ ================================================ =====================================
Claude Code  ``claude -p --output-format json``               the last object of type ``result``:
             (or ``stream-json``)                             ``total_cost_usd``, ``modelUsage``
                                                              (else ``usage``), ``result``
Codex        ``codex exec --json -``                          the last ``turn.completed``, whose
                                                              ``usage`` is of the whole thread; the
                                                              last ``agent_message``
============ ================================================ =====================================
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass
from math import isfinite
from typing import Any

from maxcode.models.base import Tokens

_TOO_MANY = 10**12  # tokens of one run


@dataclass(frozen=True, slots=True)
class Reported:
    """An agent's report of its usage, and its last message.

    ``dollars`` is None if it names no price.
    """

    tokens: Tokens
    dollars: float | None = None
    said: str = ""

    @property
    def believable(self) -> bool:
        """Whether these amounts are possible, and not nothing."""
        dollars = self.dollars or 0.0
        counted = min(astuple(self.tokens)) >= 0 and 0 < self.tokens.total < _TOO_MANY
        return counted and isfinite(dollars) and dollars >= 0


def reported(output: str) -> Reported | None:
    """The report on the standard output of an agent; None if unreadable."""
    documents = list(_documents(output))
    for reader in (_claude, _codex):
        with suppress(LookupError, TypeError, ValueError, OverflowError, AttributeError):
            found = reader(documents)
            if found is not None and found.believable:
                return found
    return None


def _documents(output: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that fill a line, or all of the output, or a list of them."""
    for text in (output, *output.splitlines()):
        if text.lstrip().startswith(("{", "[")):
            try:
                found = json.loads(text)
            except (ValueError, RecursionError):
                continue
            listed = found if isinstance(found, list) else [found]
            yield from (one for one in listed if isinstance(one, dict))


def _claude(documents: list[dict[str, Any]]) -> Reported | None:
    results = [one for one in documents if one.get("type") == "result" and "usage" in one]
    if not results:
        return None
    last, usage = results[-1], results[-1]["usage"]
    dollars = float(last["total_cost_usd"]) if "total_cost_usd" in last else None
    said = str(last.get("result") or "")
    own = {
        "inputTokens": usage["input_tokens"],
        "cacheReadInputTokens": usage.get("cache_read_input_tokens"),
        "cacheCreationInputTokens": usage.get("cache_creation_input_tokens"),
        "outputTokens": usage["output_tokens"],
    }
    models = list((last.get("modelUsage") or {}).values()) or [own]  # with those of subagents
    tokens = Tokens(
        input=_sum(models, "inputTokens"),
        cached=_sum(models, "cacheReadInputTokens"),
        written=_sum(models, "cacheCreationInputTokens"),
        output=_sum(models, "outputTokens"),
    )
    return Reported(tokens, dollars, said)


def _codex(documents: list[dict[str, Any]]) -> Reported | None:
    turns = [one["usage"] for one in documents if one.get("type") == "turn.completed"]
    if not turns:
        return None
    items = [one["item"] for one in documents if one.get("type") == "item.completed"]
    said = [str(one.get("text") or "") for one in items if one.get("type") == "agent_message"]
    usage = turns[-1]  # each counts from the beginning of the thread
    cached = int(usage.get("cached_input_tokens") or 0)
    output = int(usage["output_tokens"])
    tokens = Tokens(input=int(usage["input_tokens"]) - cached, cached=cached, output=output)
    return Reported(tokens, said=said[-1] if said else "")


def _sum(counts: list[dict[str, Any]], name: str) -> int:
    """The sum of a kind of tokens, each of which may be missing. Raises ``ValueError``."""
    found = [int(one.get(name) or 0) for one in counts]
    if min(found) < 0:
        raise ValueError(f"a negative number of tokens: {name}")
    return sum(found)
