"""An OpenEnv server, asked over HTTP and by OpenEnv's own client."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from importlib import import_module

import pytest
from tests._later import needs
from tests.rl._world import executor, task

from maxcode.rl import Shaping, create_app

pytestmark = [pytest.mark.slow, needs("openenv"), pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def address() -> Iterator[str]:
    """The address of a server with episodes of two turns."""
    import uvicorn  # noqa: PLC0415

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = create_app([task("a"), task("b")], executor(), turns=2, shaping=Shaping("speedup"))
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(30)


def test_sessions_are_episodes_with_rewards_for_what_raises_the_best(address: str) -> None:
    client_of = import_module("openenv.core").GenericEnvClient  # without types
    with client_of(base_url=address) as client:
        begun = client.reset(task="b")
        assert begun.observation["messages"][1]["role"] == "user"
        first = client.step({"answer": "```\n2.0\n```"})
        assert (first.reward, first.done) == (1.0, False)
        assert first.observation["best"] == 2.0
        last = client.step({"answer": "no program"})
        assert (last.reward, last.done) == (0.0, True)
        assert last.observation["status"] == "invalid"
