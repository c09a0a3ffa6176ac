"""What coding agents report of their cost, as their command lines print it.

============ ========================================== ========================================
agent        command                                    what is read
============ ========================================== ========================================
Claude Code  ``claude -p --output-format json``         the last object of type ``result``:
                                                        ``total_cost_usd``, ``usage``, ``result``
Codex        ``codex exec --json -``                    all ``turn.completed``: ``usage``; the last
                                                        ``agent_message``
Gemini CLI   ``gemini --output-format json``            ``stats.models.*.tokens``, ``response``
============ ========================================== ========================================
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Reported:
    """What an agent says that it used, and what it said in the end.

    ``dollars`` is None where it names no price.
    """

    input: int
    cached: int
    written: int
    output: int
    dollars: float | None = None
    said: str = ""

    @property
    def believable(self) -> bool:
        """Whether these are amounts that there can be, and not nothing."""
        counts = (self.input, self.cached, self.written, self.output)
        dollars = self.dollars or 0.0
        return min(counts) >= 0 and sum(counts) > 0 and isfinite(dollars) and dollars >= 0


def reported(output: str, kind: str = "auto") -> Reported | None:
    """What the standard output of an agent reports; None where nothing of it can be read.

    ``kind`` is one of :data:`KINDS`, or auto for whichever fits.
    """
    documents = list(_documents(output))
    for name in KINDS if kind == "auto" else [kind]:
        try:
            found = _READERS[name](documents)
        except (LookupError, TypeError, ValueError, AttributeError):
            continue
        if found is not None and found.believable:
            return found
    return None


def _documents(output: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that fill a line, or all of the output."""
    for text in (output, *output.splitlines()):
        if text.lstrip().startswith("{"):
            try:
                found = json.loads(text)
            except ValueError:
                continue
            if isinstance(found, dict):
                yield found


def _claude(documents: list[dict[str, Any]]) -> Reported | None:
    results = [one for one in documents if one.get("type") == "result" and "usage" in one]
    if not results:
        return None
    last, usage = results[-1], results[-1]["usage"]
    return Reported(
        input=int(usage["input_tokens"]),
        cached=int(usage.get("cache_read_input_tokens") or 0),
        written=int(usage.get("cache_creation_input_tokens") or 0),
        output=int(usage["output_tokens"]),
        dollars=float(last["total_cost_usd"]) if "total_cost_usd" in last else None,
        said=str(last.get("result") or ""),
    )


def _codex(documents: list[dict[str, Any]]) -> Reported | None:
    turns = [one["usage"] for one in documents if one.get("type") == "turn.completed"]
    if not turns:
        return None
    items = [one["item"] for one in documents if one.get("type") == "item.completed"]
    said = [str(one.get("text") or "") for one in items if one.get("type") == "agent_message"]
    cached = sum(int(one.get("cached_input_tokens") or 0) for one in turns)
    return Reported(
        input=sum(int(one["input_tokens"]) for one in turns) - cached,
        cached=cached,
        written=0,
        output=sum(int(one["output_tokens"]) for one in turns),
        said=said[-1] if said else "",
    )


def _gemini(documents: list[dict[str, Any]]) -> Reported | None:
    known = [one for one in documents if "stats" in one and "response" in one]
    if not known:
        return None
    tokens = [one["tokens"] for one in known[-1]["stats"]["models"].values()]
    cached = sum(int(one.get("cached") or 0) for one in tokens)
    written = sum(int(one.get(k) or 0) for one in tokens for k in ("candidates", "thoughts"))
    return Reported(
        input=sum(int(one["prompt"]) for one in tokens) - cached,
        cached=cached,
        written=0,
        output=written,
        said=str(known[-1]["response"] or ""),
    )


_READERS: MappingProxyType[str, Callable[[list[dict[str, Any]]], Reported | None]] = (
    MappingProxyType({"claude": _claude, "codex": _codex, "gemini": _gemini})
)
KINDS = tuple(_READERS)
"""The agents whose output can be read."""
