"""The loopback provider, asked through the providers' own SDKs."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests._later import Later
from tests.provider import Block, Fault, LoopbackProvider, Request
from tests.provider.caching import PromptCache

if TYPE_CHECKING:
    import anthropic
    import openai
else:
    anthropic, openai = Later("anthropic"), Later("openai")

ASKED: Any = {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 1000}
LONG = "x" * 4096  # 1024 tokens


def message(provider: LoopbackProvider, *, stream: bool) -> tuple[str, int, int]:
    """Text, tokens of input, and of output, by Anthropic's SDK."""
    with closing(
        anthropic.Anthropic(base_url=provider.anthropic_url, api_key="a key", max_retries=0)
    ) as client:
        if stream:
            with client.messages.stream(model="m", **ASKED) as events:
                said: Any = events.get_final_message()
        else:
            said = client.messages.create(model="m", **ASKED)
    return said.content[0].text, said.usage.input_tokens, said.usage.output_tokens


def completion(provider: LoopbackProvider, *, stream: bool) -> tuple[str, int, int]:
    """The same by OpenAI's."""
    with closing(
        openai.OpenAI(base_url=provider.openai_url, api_key="a key", max_retries=0)
    ) as client:
        options: Any = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
        said: Any = client.chat.completions.create(model="m", **ASKED, **options)
        chunks = list(said) if stream else [said]
    choices = [choice for chunk in chunks for choice in chunk.choices]
    text = "".join((choice.delta if stream else choice.message).content or "" for choice in choices)
    return text, chunks[-1].usage.prompt_tokens, chunks[-1].usage.completion_tokens


@pytest.mark.parametrize("ask", [message, completion])
def test_the_sdks_read_whole_and_streamed_answers_and_are_told_their_charge(ask: Any) -> None:
    with LoopbackProvider(lambda _: "word " * 500, key="a key") as provider:
        assert ask(provider, stream=False) == ask(provider, stream=True) == ("word " * 500, 2, 625)
        assert [(one.input, one.output) for one in provider.charges] == [(2, 625), (2, 625)]


@pytest.mark.parametrize("ask", [message, completion])
@pytest.mark.parametrize("stream", [False, True])
def test_a_broken_answer_is_an_error_and_billed(ask: Any, stream: bool) -> None:
    with LoopbackProvider(faults=lambda _: Fault.BROKEN_JSON) as provider:
        with pytest.raises(ValueError, match=r"JSON|char"):
            ask(provider, stream=stream)
        [charge] = provider.charges
    assert not charge.complete
    assert (charge.input, charge.output) == (2, 6)


def split(cache: PromptCache, api: Any, *texts: str) -> tuple[int, int, int]:
    """Tokens neither cached nor written, and those; blocks that end in ``!`` are marked."""
    blocks = tuple(Block("user", text, text.endswith("!")) for text in texts)
    found = cache.split(Request(0, api, "m", "", texts, blocks, {}, max_tokens=9))
    cache.write(found.entries)
    return found.input, found.cached, found.written


def test_anthropic_caches_up_to_a_mark_and_looks_back_over_twenty_blocks() -> None:
    cache = PromptCache()
    assert split(cache, "anthropic", LONG + "!", "what?") == (2, 0, 1025)
    assert split(cache, "anthropic", LONG, "what?") == (1026, 0, 0)
    assert split(cache, "anthropic", LONG + "!", *["more"] * 18, "end!") == (0, 1025, 19)
    assert split(cache, "anthropic", LONG, *["mor?"] * 19, "end!") == (0, 0, 1044)


def test_openai_caches_common_prefixes_in_steps() -> None:
    cache = PromptCache()
    prompt = "".join(f"line {n:7}\n" for n in range(1000))
    assert split(cache, "openai", prompt) == (3250, 0, 0)
    assert split(cache, "openai", prompt) == (50, 3200, 0)
    assert split(cache, "openai", prompt[:8000] + "?") == (81, 1920, 0)
