"""Answers with fields that are null, of another type, absurd or missing: none is lost for them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from math import inf
from typing import Any

import pytest

from maxcode.models.anthropic import _Draft
from maxcode.models.base import Prompt, Tokens, upper_bound
from maxcode.models.openai import Completion
from maxcode.models.resilience import Limits, Throttle
from maxcode.models.wire import Draft, Order, Reply

TEXT = "x" * 90
COMPLETION = {
    "id": "a",
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": TEXT, "reasoning": "", "tool_calls": []},
            "finish_reason": "stop",
            "logprobs": {
                "content": [
                    {"token": "a", "logprob": -1.0, "top_logprobs": [{"token": "a", "logprob": 0}]}
                ]
            },
        }
    ],
    "usage": {
        "prompt_tokens": 100,
        "completion_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 3},
    },
    "error": None,
}
MESSAGE = {
    "id": "a",
    "type": "message",
    "content": [{"type": "text", "text": TEXT, "citations": []}],
    "stop_reason": "end_turn",
    "usage": {
        "input_tokens": 90,
        "cache_read_input_tokens": 6,
        "cache_creation_input_tokens": 4,
        "output_tokens": 30,
        "output_tokens_details": {"thinking_tokens": 0},
    },
}
SAYING: set[tuple[Any, ...]] = {
    *(
        ("choices",),
        ("choices", 0),
        ("choices", 0, "message"),
        ("choices", 0, "message", "content"),
    ),
    *(("content",), ("content", 0), ("content", 0, "type"), ("content", 0, "text")),
    *(("type",), ("error",)),
}
"""Where the answer itself is, or an error in its place."""

MISSING = object()
ODD: list[Any] = [None, -7, 0.5, 1e308, 10**400, "many", True, [], {}, MISSING]


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value, from the top."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*before, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*before, key))


def changed(whole: Any, place: tuple[Any, ...], odd: Any) -> bytes:
    at = whole = copy.deepcopy(whole)
    for key in place[:-1]:
        at = at[key]
    if odd is MISSING:
        at.pop(place[-1])
    else:
        at[place[-1]] = odd
    return json.dumps(whole).encode()


def read_reply(kind: type[Draft], data: bytes) -> Reply:
    """Of an order of one answer of 500 tokens to a prompt of 300 bytes."""
    draft = kind(Order(Prompt("", ("p" * 300,)), 0, 500, Throttle(Limits()).ticket(), inf))
    draft.take(data)
    assert draft.whole
    return draft.reply()


@pytest.mark.parametrize(
    ("kind", "whole"), [(Completion, COMPLETION), (_Draft, MESSAGE)], ids=["openai", "anthropic"]
)
def test_no_field_beside_the_text_loses_an_answer(kind: type[Draft], whole: Any) -> None:
    for place in places(whole):
        for odd in [] if place in SAYING else ODD:
            reply = read_reply(kind, changed(whole, place, odd))
            where = (place, odd)
            assert reply.text == TEXT, where
            prompt = reply.usage.input + reply.usage.cached + reply.usage.written
            assert 0 < prompt <= upper_bound(300), where
            assert 0 < reply.usage.output <= 500, where
            if place in (("usage",), ("usage", "completion_tokens"), ("usage", "output_tokens")):
                assert "answer" in reply.estimated, where


@pytest.mark.parametrize(
    ("prompt", "output", "counted", "estimated"),
    [
        (100, 30, Tokens(input=100, output=30), ""),
        (264, 500, Tokens(input=264, output=500), ""),
        (265, 30, Tokens(input=264, output=30), "prompt"),
        (100, 501, Tokens(input=100, output=500), "answer"),
        (10**6, 10**6, Tokens(input=264, output=500), "prompt and answer"),
        (0, -1, Tokens(input=100, output=30), "prompt and answer"),
    ],
)
def test_counts_are_believed_up_to_what_was_reserved(
    prompt: int, output: int, counted: Tokens, estimated: str
) -> None:
    usage = {"prompt_tokens": prompt, "completion_tokens": output}
    reply = read_reply(Completion, json.dumps({**COMPLETION, "usage": usage}).encode())
    assert (reply.usage, reply.estimated) == (counted, estimated)
    usage = {"input_tokens": prompt, "output_tokens": output}
    reply = read_reply(_Draft, json.dumps({**MESSAGE, "usage": usage}).encode())
    assert (reply.usage, reply.estimated) == (counted, estimated)
