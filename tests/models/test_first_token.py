"""What servers tell of the first token, as it comes in."""

import json
import time
from typing import Any

from maxcode.models.base import Prompt
from maxcode.models.openai import Completion
from maxcode.models.resilience import Limits, Throttle
from maxcode.models.wire import Order


def told(top: Any) -> dict[str, float]:
    ticket = Throttle(Limits()).ticket()
    order = Order(Prompt("", ("?",)), 0, 1, ticket, time.monotonic() + 60)
    found = Completion(order)
    logprobs = {"content": [{"token": "1", "logprob": -0.5, "top_logprobs": top}]}
    choice = {"message": {"content": "1"}, "finish_reason": "length", "logprobs": logprobs}
    found.take(json.dumps({"choices": [choice]}).encode())
    assert found.reply().text == "1"
    return dict(found.first_token)


def test_of_tokens_with_the_same_text_the_likeliest_counts() -> None:
    chances = [("1", -0.5), ("2", -1.5), ("1", -7.0), ("2", -1.0)]
    assert told([{"token": t, "logprob": p} for t, p in chances]) == {"1": -0.5, "2": -1.0}


def test_an_answer_that_tells_of_none_can_be_read() -> None:
    assert told(None) == told([]) == {}
