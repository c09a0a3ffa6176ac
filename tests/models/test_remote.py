"""What both clients do: patience, and counting what every attempt used."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.models._remote import (
    LONG,
    PRICE,
    PROMPT,
    Maker,
    answers,
    asked,
    first,
    limits,
    served,
)
from tests.provider import Charge, Fault, LoopbackProvider, ProviderError, Reply

from maxcode.budget import (
    Call,
    Cost,
    Stop,
)
from maxcode.errors import ModelError, NoAnswerError
from maxcode.models.base import ask
from maxcode.testing.models import MemoryTranscript

REFUSED = [
    Fault.RATE_LIMITED,
    Fault.RETRY_AFTER,
    ProviderError(408, "the request took too long to arrive"),
    ProviderError(409, "another request holds a lock on this; try again"),
    Fault.SERVER_ERROR,
    Fault.OVERLOADED,
    ProviderError(502, "<html>bad gateway</html>"),
    ProviderError(529, "overloaded"),
]
LOST = [Fault.BROKEN_OFF, Fault.BROKEN_JSON, Fault.BAD_UTF8, Fault.DROPPED, Fault.HUNG, Fault.SLOW]
HASTY = {"limits": limits(timeout=0.2)}


def tokens(call: Call | Charge) -> tuple[int, int, int, int]:
    return call.input, call.cached, call.written, call.output


# -- answers ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_answer_comes_with_exactly_what_the_provider_charges(make_any: Maker) -> None:
    with served(make_any) as (provider, model):
        [answer] = asked(model, prompt=LONG)
        [charge] = provider.charges
    assert answer.text.startswith("Answer ")
    assert answer.stop is Stop.END
    assert tokens(answer.call) == tokens(charge)
    assert answer.call.dollars == pytest.approx(
        PRICE.dollars(input=charge.input, written=charge.written, output=charge.output)
    )
    assert (answer.call.attempts, answer.call.problem) == (1, "")
    assert answer.call.model == model.name
    assert 0 < answer.call.seconds < 60


@pytest.mark.parametrize("streams", [True, False])
def test_a_server_may_stream_or_not_whatever_it_is_asked_for(
    make_any: Maker, streams: bool
) -> None:
    with served(make_any, streams=streams) as (provider, model):
        [answer] = asked(model)
    assert answer.text.startswith("Answer ")
    assert (answer.call.attempts, answer.call.problem, len(provider.requests)) == (1, "", 1)
    if not streams:  # a stream of OpenAI has its usage only if that is asked for
        assert tokens(answer.call) == tokens(provider.charges[0])


def test_what_the_cache_saved_is_told(make_any: Maker) -> None:
    with served(make_any) as (_, model):
        written = asked(model, prompt=LONG)[0].call
        read = asked(model, prompt=LONG)[0].call
    assert read.cached > 1024
    assert read.dollars is not None
    assert read.saved == pytest.approx(read.cached * (3 - 0.3) / 1e6)
    assert written.saved == pytest.approx(written.written * (3 - 3.75) / 1e6)


@pytest.mark.slow
def test_thoughts_are_counted_and_not_shown(make_any: Maker) -> None:
    with served(make_any, answer=lambda _: Reply("the answer", thinking="hm " * 400)) as (_, model):
        [answer] = asked(model)
    assert (answer.text, answer.call.thinking, answer.call.output) == ("the answer", 300, 303)


@pytest.mark.slow
def test_another_address_is_sent_nothing_of_the_environment(
    make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "right")
    for provider in ("ANTHROPIC", "OPENAI"):
        for variable in ("API_KEY", "ADMIN_KEY", "AUTH_TOKEN", "ORG_ID", "PROJECT_ID"):
            monkeypatch.setenv(f"{provider}_{variable}", "secret")
    with served(make, key="none") as (_, model):  # the placeholder
        asked(model)
        assert "secret" not in repr(dict(model._connected().default_headers))
    with served(make, key="right", model={"key": "MY_KEY"}) as (_, model):
        asked(model)


# -- patience --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("fault", REFUSED, ids=str)
def test_what_was_refused_is_free_and_asked_again(
    make_any: Maker, fault: Fault | ProviderError
) -> None:
    with served(make_any, faults=first(fault, fault), retry_after="0.01") as (provider, model):
        [answer] = asked(model)
        *refused, charge = provider.charges
    assert len(refused) == 2
    assert tokens(answer.call) == tokens(charge)
    assert answer.call.attempts == 3


@pytest.mark.slow
@pytest.mark.parametrize("fault", LOST)
def test_a_lost_answer_is_charged_its_ceiling_and_asked_for_once_more(
    make_any: Maker, fault: Fault
) -> None:
    with served(make_any, faults=first(fault), stall=1.0, model=HASTY) as (provider, model):
        kept = MemoryTranscript()
        [answer] = ask(model, PROMPT, 1, seed=0, transcript=kept)
        lost, came = [one.call for one in kept.kept]
        assert lost.cost == model.ceiling(PROMPT.size, 1)
        assert (lost.reserve, lost.attempts) == (True, 1)
        assert came == answer.call
        assert tokens(came) == tokens(provider.charges[-1])

    with served(make_any, faults=lambda _: fault, stall=1.0, model=HASTY) as (provider, model):
        kept = MemoryTranscript()
        with pytest.raises(NoAnswerError):
            ask(model, PROMPT, 1, seed=0, transcript=kept)
        assert [one.call.cost for one in kept.kept] == [model.ceiling(PROMPT.size, 1)] * 2
        assert len(provider.requests) == 2


class Poor(MemoryTranscript):
    """Has nothing beyond what was reserved."""

    def afford(self, cost: Cost) -> bool:
        return False


def test_a_lost_answer_is_not_asked_for_again_without_room_in_the_budget(make: Maker) -> None:
    with served(make, faults=first(Fault.DROPPED)) as (provider, model):
        with pytest.raises(NoAnswerError, match="the budget has no room to ask again"):
            ask(model, PROMPT, 1, seed=0, transcript=Poor())
        assert len(provider.requests) == 1


def test_an_empty_answer_is_an_answer(make_any: Maker) -> None:
    with served(make_any, faults=first(Fault.EMPTY)) as (provider, model):
        [answer] = asked(model)
        assert (answer.text, answer.call.problem, answer.call.attempts) == ("", "", 1)
        assert answer.call.input == provider.charges[0].input


def test_an_answer_that_does_not_begin_in_time_is_lost(make: Maker) -> None:
    with served(make, latency=0.4, model={"limits": limits(timeout=0.1)}) as (_, model):
        [answer] = answers(model)
        assert answer.call.cost == model.ceiling(PROMPT.size, 1)
    assert "no response within 0.1 s" in answer.call.problem


def test_a_server_that_is_not_there_is_given_up(make: Maker) -> None:
    with LoopbackProvider() as gone:
        pass
    with make(gone, limits=limits(attempts=3)) as model:
        [answer] = answers(model)
        assert answer.call.attempts == 3
        assert answer.call.tokens == 0
        assert "after 3 attempts" in answer.call.problem
        with pytest.raises(ModelError, match="after 3 attempts"):
            asked(model)


@pytest.mark.slow
def test_retry_after_is_obeyed_by_all_calls(make: Maker) -> None:
    held = 0.4
    with served(make, faults=first(Fault.RETRY_AFTER), retry_after=str(held)) as (provider, model):
        with ThreadPoolExecutor(8) as pool:
            futures = [pool.submit(asked, model)]
            while not provider.charges:
                time.sleep(0.005)
            time.sleep(0.05)  # until the client has read it
            futures += [pool.submit(asked, model) for _ in range(7)]
            for future in futures:
                future.result()
        refused, *later = sorted(provider.charges, key=lambda charge: charge.begun)
    assert len(later) == 8
    assert all(charge.begun - refused.begun >= held for charge in later)


def test_who_asks_for_too_long_a_wait_is_given_up(make: Maker) -> None:
    with served(make, faults=lambda _: Fault.RETRY_AFTER, retry_after="3600") as (_, model):
        [answer] = answers(model)
    assert answer.call.attempts == 1
    assert "wait 3600 s" in answer.call.problem


# -- what will not mend itself -----------------------------------------------------------------


def test_a_wrong_key_ends_it_at_once(make: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-wrong-secret")
    with served(make, key="right", model={"key": "MY_KEY"}) as (provider, model):
        with pytest.raises(ModelError, match="refused the key in MY_KEY") as caught:
            asked(model, 3)
        assert "wrong-secret" not in str(caught.value)
    with served(make, key="right") as (provider, model):
        with pytest.raises(ModelError, match="name that with key="):
            asked(model)
        assert len(provider.charges) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "said", "advice"),
    [
        (400, "prompt is too long: 300000 tokens > 200000 maximum", "lower the context"),
        (400, "This model's maximum context length is 8192 tokens.", "lower the context"),
        (413, "request entity too large", "lower the context"),
        (400, "Your credit balance is too low", "no credit left"),
        (402, "payment required", "no credit left"),
        (403, "no access to this model", "does not allow this"),
        (422, "temperature: out of range", "cannot serve this request.*temperature"),
    ],
)
def test_what_cannot_be_mended_ends_it_with_advice(
    make: Maker, status: int, said: str, advice: str
) -> None:
    with served(make, faults=first(ProviderError(status, said))) as (provider, model):
        with pytest.raises(ModelError, match=advice):
            asked(model)
        assert len(provider.charges) == 1


def test_no_answer_holds_the_key_it_was_sent(
    make_any: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "key-0123/4567+89abcdef" + "x" * 40  # longer than the pieces of a stream
    monkeypatch.setenv("MY_KEY", key)
    with served(
        make_any, key=key, answer=lambda _: f"a {key} b {key}", model={"key": "MY_KEY"}
    ) as (_, model):
        assert asked(model)[0].text == "a [redacted] b [redacted]"


@pytest.mark.slow
@pytest.mark.parametrize("status", [400, 500])
def test_no_error_holds_a_key(make: Maker, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setenv("MY_KEY", "very-secret-key")
    said = "error about very-secret-key and sk-abcdef123"
    error = ProviderError(status, said, kind="very-secret-key", param="very-secret-key")
    options = {"key": "MY_KEY", "limits": limits(attempts=1)}
    with served(make, faults=first(error), model=options) as (_, model):
        with pytest.raises(ModelError, match=r"error about \[redacted\]") as caught:
            asked(model)
        assert "secret" not in str(caught.value)
        assert "abcdef" not in str(caught.value)


def test_what_was_lost_before_the_end_is_still_charged(make: Maker) -> None:
    kept = MemoryTranscript()
    faults = first(Fault.BROKEN_JSON, ProviderError(403, "no more"))
    with served(make, faults=faults) as (_, model):
        with pytest.raises(ModelError, match="no more"):
            ask(model, PROMPT, 1, seed=0, transcript=kept)
        assert [one.call.cost for one in kept.kept] == [model.ceiling(PROMPT.size, 1)]


# -- ends --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_waits_end_when_it_is_stopped_and_later_calls_are_served(make: Maker) -> None:
    options = {"limits": limits(longest_wait=100.0)}
    faults = first(Fault.RETRY_AFTER)
    with served(make, faults=faults, retry_after="0.5", model=options) as (provider, model):
        with ThreadPoolExecutor(2) as pool:
            waiting = [pool.submit(answers, model)]
            while not provider.charges:
                time.sleep(0.005)
            time.sleep(0.05)
            waiting.append(pool.submit(answers, model))
            time.sleep(0.05)
            model.stop()
            given_up = [future.result()[0].call for future in waiting]
            assert len(provider.charges) == 1
        assert all("stopped" in call.problem for call in given_up)
        assert asked(model)


def test_a_refusal_for_good_is_asked_for_once(make: Maker) -> None:
    """Where the first goes ahead, so that the others find its prompt in the cache."""
    with served(make, key="right") as (provider, model):
        with pytest.raises(ModelError, match="401"):
            list(model.sample(LONG, range(8), request="r", seed=0))
        assert len(provider.charges) == 1


@pytest.mark.slow
def test_no_more_requests_are_under_way_than_allowed(make: Maker) -> None:
    with served(make, latency=0.02, model={"limits": limits(in_flight=2)}) as (provider, model):
        assert len(answers(model, 8)) == 8
        assert provider.most_in_flight == 2


@pytest.mark.parametrize("status", [504, 524])
def test_an_answer_that_a_gateway_did_not_wait_for_may_be_billed(make: Maker, status: int) -> None:
    with served(make, faults=first(ProviderError(status, "gateway timeout"))) as (_, model):
        assert answers(model)[0].call.cost == model.ceiling(PROMPT.size, 1)
