from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests._later import Later
from tests.provider.caching import PromptCache, Split
from tests.provider.messages import Api, Block, Request
from tests.provider_tests._clients import serving

if TYPE_CHECKING:
    import anthropic
else:
    anthropic = Later("anthropic")

LONG = "x" * 4096  # 1024 tokens


class Clock:
    def __init__(self) -> None:
        self.now = 1.0

    def __call__(self) -> float:
        return self.now


class Asker:
    """Asks for prompts of blocks; those that end in ``!`` are marked."""

    def __init__(self, api: Api = "anthropic", minimum: int = 1024) -> None:
        self.clock = Clock()
        self.cache = PromptCache(minimum, self.clock)
        self.api = api

    def looks(self, *texts: str, model: str = "m") -> Split:
        """What the request costs that has just come."""
        blocks = tuple(Block("user", text, text.endswith("!")) for text in texts)
        request = Request(0, self.api, model, "", texts, blocks, {}, max_tokens=9)
        return self.cache.split(request)

    def asks(self, *texts: str, model: str = "m") -> tuple[int, int, int]:
        """The same, when its answer has begun: tokens neither cached nor written, and those."""
        split = self.looks(*texts, model=model)
        self.cache.write(split.entries)
        return split.input, split.cached, split.written


def test_a_marked_prefix_is_written_once_and_read_from_then_on() -> None:
    asker = Asker()
    assert asker.asks(LONG + "!", "what?") == (2, 0, 1025)
    assert asker.asks(LONG + "!", "what else?") == (3, 1025, 0)
    assert asker.asks(LONG + "?", "what?") == (1025 + 2, 0, 0)
    assert asker.asks("?" + LONG + "!", "what?") == (2, 0, 1025)


def test_a_prefix_belongs_to_its_model() -> None:
    asker = Asker()
    asker.asks(LONG + "!")
    assert asker.asks(LONG + "!", model="other") == (0, 0, 1025)


def test_what_is_short_is_not_cached() -> None:
    asker = Asker()
    short = "x" * 4087 + "!"  # 1022 tokens
    assert asker.asks(short, "yy") == (1023, 0, 0)
    assert asker.asks(short, "yy") == (1023, 0, 0)
    assert asker.asks(short, "abcdefg!", "yy") == (1, 0, 1024)
    assert asker.asks(short, "abcdefg!", "yy") == (1, 1024, 0)
    assert Asker(minimum=512).asks(short, "yy") == (1, 0, 1022)


def test_an_entry_can_be_read_only_when_its_answer_has_begun() -> None:
    asker = Asker()
    first = asker.looks(LONG + "!")
    assert asker.looks(LONG + "!").cached == 0
    asker.cache.write(first.entries)
    assert asker.looks(LONG + "!").cached == 1025


def test_an_entry_lives_five_minutes_from_its_last_use() -> None:
    asker = Asker()
    asker.asks(LONG + "!")
    asker.clock.now += 299
    assert asker.asks(LONG + "!") == (0, 1025, 0)
    asker.clock.now += 299
    assert asker.asks(LONG + "!") == (0, 1025, 0)
    asker.clock.now += 301
    assert asker.asks(LONG + "!") == (0, 0, 1025)


def test_reading_alone_renews_an_entry() -> None:
    asker = Asker()
    asker.asks(LONG + "!")
    for _ in range(3):
        asker.clock.now += 299
        blocks = (Block("user", LONG + "!"), Block("user", "end", marked=True))
        request = Request(0, "anthropic", "m", "", (), blocks, {}, max_tokens=9)
        assert asker.cache.split(request).cached == 1025


def test_a_growing_prompt_reads_what_was_there_and_writes_what_is_new() -> None:
    asker = Asker()
    assert asker.asks(LONG + "!", "1111") == (1, 0, 1025)
    assert asker.asks(LONG + "!", "1111", "222!", "3333") == (1, 1025, 2)
    assert asker.asks(LONG + "!", "1111", "2222", "333!", "4444") == (1, 1025, 3)


@pytest.mark.parametrize(("blocks", "cached"), [(19, 1025), (20, 0)])
def test_a_mark_looks_back_over_twenty_blocks_itself_included(blocks: int, cached: int) -> None:
    asker = Asker()
    asker.asks(LONG + "!")
    new = [Block("user", "more")] * (blocks - 1) + [Block("user", "end!", marked=True)]
    prompt = (Block("user", LONG + "!"), *new)
    request = Request(0, "anthropic", "m", "", (), prompt, {}, max_tokens=9)
    assert asker.cache.split(request).cached == cached
    marked_there_too = asker.looks(LONG + "!", *["more"] * (blocks - 1), "end!")
    assert (marked_there_too.cached, marked_there_too.written) == (1025, blocks)


def test_a_prefix_is_not_found_where_nobody_marked_it() -> None:
    asker = Asker()
    asker.asks(LONG, "more", "end!")
    assert asker.asks(LONG, "mor!") == (0, 0, 1025)


def test_openai_reads_the_common_prefix_in_steps_without_being_asked() -> None:
    asker = Asker("openai")
    prompt = "".join(f"line {n:7}\n" for n in range(1000))  # 13 kB
    total = -(-len(prompt) // 4)
    assert asker.asks(prompt) == (total, 0, 0)
    again = asker.asks(prompt)
    assert again[1] == total // 128 * 128
    assert sum(again) == total
    changed = asker.asks(prompt[:8000] + "?" + prompt[8001:])
    assert changed == (total - 1920, 1920, 0)
    assert asker.asks(prompt[:3000] + "?" + prompt[3001:]) == (total, 0, 0)
    assert asker.asks(prompt[:4000]) == (1000, 0, 0)


@pytest.mark.slow
def test_what_clients_are_told_is_what_they_are_charged() -> None:
    cached = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    with serving() as (provider, clients):
        usages = [clients.message(cached, {"type": "text", "text": "a"}).usage for _ in range(2)]
        charges = provider.charges
    assert [usage.cache_creation_input_tokens for usage in usages] == [1024, 0]
    assert [usage.cache_read_input_tokens for usage in usages] == [0, 1024]
    assert [usage.input_tokens for usage in usages] == [1, 1]
    assert [(c.input, c.cached, c.written) for c in charges] == [(1, 0, 1024), (1, 1024, 0)]


@pytest.mark.slow
def test_openai_clients_are_told_too() -> None:
    with serving() as (provider, clients):
        usages = [clients.completion(LONG * 2).usage for _ in range(2)]
        assert provider.statistics().completed.cached == 2048
    for usage, cached in zip(usages, (0, 2048), strict=True):
        assert usage
        assert usage.prompt_tokens == 2048
        assert usage.prompt_tokens_details
        assert usage.prompt_tokens_details.cached_tokens == cached


@pytest.mark.slow
def test_there_is_a_limit_on_marks() -> None:
    marked = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
    with serving() as (_, clients):
        clients.message(*[marked] * 4)
        with pytest.raises(anthropic.BadRequestError, match="Found 5"):
            clients.message(*[marked] * 5)
