from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from maxcode.errors import InputError
from maxcode.models.resilience import Cancelled, Limits, Throttle, retry_after


@pytest.mark.parametrize(
    "limit",
    [
        {"in_flight": 0},
        {"attempts": 0},
        {"first_wait": -1.0},
        {"longest_wait": float("inf")},
        {"timeout": 0},
        {"deadline": float("nan")},
    ],
)
def test_limits_that_let_nothing_through_are_refused(limit: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(limit))):
        Limits(**limit)


def test_back_off_grows_and_is_drawn_alike_for_the_same_key() -> None:
    limits = Limits(first_wait=1, longest_wait=8)
    waits = [[limits.wait(attempt, str(key)) for key in range(300)] for attempt in (1, 2, 3, 4, 9)]
    for longest, drawn in zip((1, 2, 4, 8, 8), waits, strict=True):
        assert all(0 <= wait <= longest for wait in drawn)
        assert max(drawn) > 0.9 * longest
        assert min(drawn) < 0.1 * longest
    assert limits.wait(3, "a") == limits.wait(3, "a") != limits.wait(3, "b")
    assert limits.wait(10_000, "a") <= 8


def test_a_request_waits_until_another_ends() -> None:
    throttle = Throttle(Limits(in_flight=2))
    ticket = throttle.ticket()
    most, now, lock = 0, 0, threading.Lock()

    def work(_: int) -> None:
        nonlocal most, now
        with throttle.request(ticket):
            with lock:
                now += 1
                most = max(most, now)
            time.sleep(0.002)
            with lock:
                now -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(40)))
    assert most == 2


def test_who_waits_for_a_turn_is_cancelled_and_the_turn_is_not_lost() -> None:
    throttle = Throttle(Limits(in_flight=1))
    doomed, other = throttle.ticket(), throttle.ticket()
    began = threading.Event()

    def wait_in_vain() -> None:
        with throttle.request(doomed):
            raise AssertionError("it was cancelled")

    def take_turn() -> None:
        with throttle.request(other):
            began.set()

    with ThreadPoolExecutor(2) as pool:
        with throttle.request(other):
            waiting = pool.submit(wait_in_vain)
            time.sleep(0.02)
            following = pool.submit(take_turn)
            time.sleep(0.02)
            doomed.cancel()
            with pytest.raises(Cancelled):
                waiting.result(timeout=10)
            assert not began.is_set()
        following.result(timeout=10)


@pytest.mark.parametrize("wait", ["hold", "pause"])
def test_every_wait_ends_at_once_when_all_is_stopped(wait: str) -> None:
    throttle = Throttle(Limits())
    ticket = throttle.ticket()

    def work() -> None:
        if wait == "pause":
            throttle.pause(100, ticket)
        else:
            with throttle.request(ticket):
                pass

    if wait == "hold":
        throttle.hold(100)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(work)
        time.sleep(0.02)
        throttle.stop()
        with pytest.raises(Cancelled):
            waiting.result(timeout=10)
    assert ticket.cancelled
    assert not throttle.ticket().cancelled


def test_retry_after_is_in_seconds_or_milliseconds() -> None:
    assert retry_after({}) == 0
    assert retry_after({"retry-after": "12"}) == 12
    assert retry_after({"retry-after": "0.5"}) == 0.5
    assert retry_after({"retry-after": "9", "retry-after-ms": "250"}) == 0.25


@pytest.mark.parametrize("text", ["", "soon", "-3", "nan", "inf", "1e999", "Wed, 21 Oct 2015"])
def test_a_retry_after_that_says_nothing_is_no_wait(text: str) -> None:
    assert retry_after({"retry-after": text}) == 0
    assert retry_after({"retry-after-ms": text}) == 0
