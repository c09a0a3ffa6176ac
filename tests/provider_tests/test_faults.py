from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from tests._later import Later
from tests.provider import Fault, ProviderError, mixed_faults
from tests.provider_tests._clients import COMPLETIONS, MESSAGES, Clients, raw, serving

if TYPE_CHECKING:
    import anthropic
    import openai
else:
    anthropic, openai = Later("anthropic"), Later("openai")

PATHS = [MESSAGES, COMPLETIONS]
STREAMED = [False, True]


def always(fault: Fault | ProviderError) -> Any:
    return lambda number: fault


def ask(clients: Clients, path: str, *, stream: bool = False) -> Any:
    if path == MESSAGES:
        return clients.streamed_message() if stream else clients.message()
    return clients.chunks() if stream else clients.completion()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "statuses"),
    [
        (Fault.RATE_LIMITED, (429, 429)),
        (Fault.RETRY_AFTER, (429, 429)),
        (Fault.TIMED_OUT, (408, 408)),
        (Fault.CONFLICT, (409, 409)),
        (Fault.SERVER_ERROR, (500, 500)),
        (Fault.OVERLOADED, (529, 503)),
        (Fault.STREAM_ERROR, (529, 503)),
        (ProviderError(402, "pay first"), (402, 402)),
    ],
)
def test_error_statuses_are_free(fault: Fault | ProviderError, statuses: tuple[int, int]) -> None:
    with serving(faults=always(fault), retry_after="0.25") as (provider, clients):
        with pytest.raises(anthropic.APIStatusError) as first:
            clients.message()
        with pytest.raises(openai.APIStatusError) as second:
            clients.completion()
        assert (first.value.status_code, second.value.status_code) == statuses
        after = "0.25" if fault is Fault.RETRY_AFTER else None
        assert first.value.response.headers.get("retry-after") == after
        assert second.value.response.headers.get("retry-after") == after
        sums = provider.statistics()
    assert sums.answered == 0
    assert sums.completed == sums.broken_off
    assert sums.completed.input == sums.completed.output == 0


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_a_dropped_connection_gives_nothing_at_all_and_is_billed(path: str) -> None:
    with serving(faults=always(Fault.DROPPED)) as (provider, _):
        assert raw(provider, path) == b""
        [charge] = provider.charges
    assert (charge.status, charge.input, charge.output, charge.complete) == (0, 2, 8, False)


@pytest.mark.parametrize("path", PATHS)
def test_a_body_is_broken_off_and_billed(path: str) -> None:
    with serving(faults=always(Fault.BROKEN_OFF)) as (provider, _):
        head, _, body = raw(provider, path).partition(b"\r\n\r\n")
        [charge] = provider.charges
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    assert 0 < len(body) < length
    assert not charge.complete
    assert (charge.input, charge.output) == (2, 8)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_a_stream_is_broken_off_and_billed_as_a_whole(path: str) -> None:
    with serving(lambda _: "word " * 100, faults=always(Fault.BROKEN_OFF)) as (provider, _):
        received = raw(provider, path, stream=True)
        [charge] = provider.charges
    assert b"word" in received
    assert not received.endswith(b"0\r\n\r\n")
    assert not charge.complete
    assert charge.output == 125


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_broken_json_comes_in_a_whole_response(path: str) -> None:
    with serving(faults=always(Fault.BROKEN_JSON)) as (provider, _):
        head, _, body = raw(provider, path).partition(b"\r\n\r\n")
        streamed = raw(provider, path, stream=True)
        assert [charge.complete for charge in provider.charges] == [False, False]
    assert f"content-length: {len(body)}".encode() in head
    with pytest.raises(json.JSONDecodeError):
        json.loads(body)
    assert streamed.endswith(b"0\r\n\r\n")
    last = [line for line in streamed.splitlines() if line.startswith(b"data: ")][-1]
    with pytest.raises(json.JSONDecodeError):
        json.loads(last.removeprefix(b"data: "))


@pytest.mark.slow
@pytest.mark.parametrize("stream", STREAMED)
@pytest.mark.parametrize("path", PATHS)
def test_sdks_fail_on_what_is_broken(path: str, stream: bool) -> None:
    faults = [Fault.BROKEN_JSON, Fault.BROKEN_OFF, Fault.DROPPED]
    errors: list[type[Exception] | tuple[type[Exception], ...]] = [
        json.JSONDecodeError,
        (anthropic.APIConnectionError, openai.APIConnectionError, httpx2.RemoteProtocolError),
        (anthropic.APIConnectionError, openai.APIConnectionError),
    ]
    with serving(faults=faults.__getitem__) as (_, clients):
        for error in errors:
            with pytest.raises(error):
                ask(clients, path, stream=stream)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_an_error_in_the_middle_of_a_stream(path: str) -> None:
    with serving(lambda _: "word " * 100, faults=always(Fault.STREAM_ERROR)) as (provider, clients):
        error = anthropic.APIStatusError if path == MESSAGES else openai.APIError
        with pytest.raises(error, match="Overloaded"):
            ask(clients, path, stream=True)
        [charge] = provider.charges
    assert charge.status == 200
    assert not charge.complete
    assert charge.input > 0
    assert charge.output > 0


@pytest.mark.slow
@pytest.mark.parametrize("stream", STREAMED)
@pytest.mark.parametrize("path", PATHS)
def test_a_slow_answer_takes_its_time_and_is_whole(path: str, stream: bool) -> None:
    with serving(faults=always(Fault.SLOW), stall=0.05) as (provider, clients):
        assert ask(clients, path, stream=stream)
        [charge] = provider.charges
    assert charge.complete
    assert charge.seconds >= 3 * 0.05


@pytest.mark.slow
@pytest.mark.parametrize("stream", STREAMED)
def test_an_empty_answer_is_an_answer(stream: bool) -> None:
    with serving(faults=always(Fault.EMPTY)) as (provider, clients):
        message = ask(clients, MESSAGES, stream=stream)
        assert message.content == []
        assert message.usage.output_tokens == 0
        ask(clients, COMPLETIONS, stream=stream)
        assert clients.completion(n=2).choices[1].message.content == ""
        assert provider.statistics().answered == 3


@pytest.mark.slow
@pytest.mark.parametrize("stream", STREAMED)
def test_a_huge_answer_is_billed_within_what_was_asked_for(stream: bool) -> None:
    with serving(faults=always(Fault.HUGE)) as (provider, clients):
        message = ask(clients, MESSAGES, stream=stream)
        assert len(message.content[0].text) == 2_000_000
        assert message.usage.output_tokens == 1000
        ask(clients, COMPLETIONS, stream=stream)
        assert provider.statistics().answered == 2


@pytest.mark.slow
def test_a_schedule_repeats_and_strikes_as_often_as_it_says() -> None:
    schedule = mixed_faults(0.3, seed=1)
    drawn = [schedule(number) for number in range(5000)]
    assert drawn == [schedule(number) for number in range(5000)]
    assert drawn != [mixed_faults(0.3, seed=2)(number) for number in range(5000)]
    struck = Counter(fault for fault in drawn if fault)
    assert 1350 < sum(struck.values()) < 1650
    assert set(struck) == set(Fault) - {Fault.HUNG}
    assert not any(mixed_faults(0.0)(number) for number in range(100))


@pytest.mark.slow
def test_a_schedule_goes_by_the_number_of_the_request() -> None:
    faults = {1: Fault.SERVER_ERROR}
    with serving(faults=faults.get) as (provider, clients):
        clients.message()
        with pytest.raises(anthropic.InternalServerError):
            clients.message()
        clients.message()
        assert [charge.number for charge in provider.charges] == [0, 1, 2]
        assert [charge.status for charge in provider.charges] == [200, 500, 200]
        assert provider.statistics().faults == {"500": 1}
