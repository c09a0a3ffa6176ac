from __future__ import annotations

import gc
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from tests._garbage import collect_that_of_others
from tests._later import Later
from tests.provider import LoopbackProvider, ProviderProcess, Request
from tests.provider_tests._clients import COMPLETIONS, MESSAGES, Clients, raw, serving

if TYPE_CHECKING:
    import anthropic
    import openai
else:
    anthropic, openai = Later("anthropic"), Later("openai")


@pytest.mark.slow
def test_connections_are_kept_alive_and_shared_by_both_apis() -> None:
    with serving() as (provider, clients):
        for _ in range(3):
            clients.message()
            clients.completion()
        sums = provider.statistics()
    assert (sums.requests, sums.answered) == (6, 6)
    assert (sums.accepted, sums.open) == (2, 2)  # one for each SDK
    assert (sums.in_flight, sums.most_in_flight) == (0, 1)


@pytest.mark.slow
def test_the_most_in_flight_at_once_is_told() -> None:
    barrier = threading.Barrier(8)

    def answer(request: Request) -> str:
        barrier.wait(timeout=10)
        return "ok"

    with serving(answer) as (provider, clients), ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: clients.message(), range(8)))
        assert provider.statistics().most_in_flight == 8
        assert provider.statistics().in_flight == 0


def test_an_answer_comes_after_the_latency() -> None:
    with serving(latency=0.1) as (provider, clients):
        clients.message()
        assert provider.charges[0].seconds >= 0.1


@pytest.mark.slow
def test_closing_ends_all_threads_and_connections() -> None:
    before = set(threading.enumerate())
    provider = LoopbackProvider(latency=30)
    clients = Clients(provider)
    idle = socket.create_connection(("127.0.0.1", provider.port))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(clients.message)
        while not provider.statistics().in_flight:
            time.sleep(0.001)
        provider.close()
        with pytest.raises(anthropic.APIConnectionError):
            waiting.result(timeout=10)
    assert set(threading.enumerate()) == before
    assert idle.recv(1) == b""
    idle.close()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", provider.port))
    clients.close()
    provider.close()


@pytest.mark.slow
def test_a_client_that_hung_up_is_no_complete_answer() -> None:
    with serving(latency=0.8) as (provider, clients):
        with pytest.raises(openai.APITimeoutError):
            clients.completion(timeout=0.05)
        while not provider.charges:
            time.sleep(0.001)
    [charge] = provider.charges  # once all is sent, or could not be
    assert not charge.complete
    assert charge.input == 2


def test_a_mistake_of_the_script_is_told_on_closing(capfd: pytest.CaptureFixture[str]) -> None:
    def answer(request: Request) -> str:
        raise KeyError("a mistake")

    provider = LoopbackProvider(answer)
    clients = Clients(provider)
    with pytest.raises(anthropic.InternalServerError):
        clients.message()
    with pytest.raises(KeyError, match="a mistake"):
        provider.close()
    clients.close()
    assert capfd.readouterr() == ("", "")


def test_what_is_no_request_is_refused_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    with LoopbackProvider() as provider:
        assert raw(provider, "/v1/other").startswith(b"HTTP/1.1 404 ")
        assert raw(provider, MESSAGES, messages="x").startswith(b"HTTP/1.1 400 ")
        with socket.create_connection(("127.0.0.1", provider.port), timeout=10) as connection:
            connection.sendall(b"nonsense\r\n\r\n")
            assert b"400" in connection.recv(1000)
        with socket.create_connection(("127.0.0.1", provider.port), timeout=10) as connection:
            connection.sendall(
                f"POST {COMPLETIONS} HTTP/1.1\r\ncontent-length: 3\r\n\r\n[1]".encode()
            )
            assert connection.recv(1000).startswith(b"HTTP/1.1 400 ")
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_process_of_its_own_tells_its_bill_and_ends() -> None:
    with ProviderProcess(answer_bytes=400, key="a key") as provider:
        clients = Clients(provider)
        clients.message()
        clients.completion()
        with pytest.raises(openai.AuthenticationError):
            Clients(provider, key="another").completion()
        sums = provider.statistics()
        clients.close()
    assert (sums.requests, sums.answered, sums.most_in_flight) == (3, 2, 1)
    assert (sums.completed.input, sums.completed.output) == (4, 200)
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", provider.port))


@pytest.mark.slow
def test_a_process_that_does_not_start_leaves_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    collect_that_of_others()
    slow: Any = "soon"
    with pytest.raises(RuntimeError, match="did not start"):
        ProviderProcess(latency=slow)
    gc.collect()  # a process that was left would be a warning, and so a failure
    assert "invalid float value: 'soon'" in capfd.readouterr().err


@pytest.mark.slow
def test_faults_of_a_process_are_drawn_by_its_seed() -> None:
    with ProviderProcess(fault_share=1, seed=3) as provider:
        clients = Clients(provider)
        for _ in range(5):
            try:
                clients.message()
            except anthropic.APIError:
                continue
        drawn = provider.statistics().faults
        clients.close()
    assert sum(drawn.values()) == 5
