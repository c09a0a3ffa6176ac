"""The live view, served on loopback for a test, and who reads it there."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Thread
from typing import Any

from maxcode.report.server import listen, make_app, serve
from maxcode.report.watching import Watch


class Reader:
    """A program that asks the view for things."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}"

    def ask(
        self, path: str, method: str = "GET", **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of an answer."""
        with self.stream(path, method, **headers) as response:
            names = {name.lower(): value for name, value in response.getheaders()}
            return response.status, names, response.read().decode()

    def json(self, path: str) -> Any:
        status, _, text = self.ask(path)
        assert status == 200, text
        return json.loads(text)

    @contextmanager
    def stream(self, path: str, method: str = "GET", **headers: str) -> Iterator[HTTPResponse]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, headers=headers)
            yield connection.getresponse()
        finally:
            connection.close()

    @contextmanager
    def news(self, path: str) -> Iterator[Iterator[Any]]:
        """What a stream of events tells."""
        with self.stream(path) as response:
            lines = iter(response.readline, b"")
            yield (json.loads(line[6:]) for line in lines if line.startswith(b"data: "))


@contextmanager
def served(store: Path, **options: Any) -> Iterator[Reader]:
    watch = Watch(str(store))
    with listen("127.0.0.1", 0) as listening:
        app = make_app(watch, **options)
        thread = Thread(target=serve, args=(app, listening, watch))
        thread.start()
        try:
            yield Reader(listening.getsockname()[1])
        finally:
            watch.ended.set()
            thread.join(20)
    assert not thread.is_alive()
