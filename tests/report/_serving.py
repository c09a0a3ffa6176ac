"""The live view, served on loopback for a test, and who reads it there."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

from maxcode.report.server import listen, make_app, make_server
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
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return response.status, names, response.read().decode()

    def json(self, path: str) -> Any:
        status, _, text = self.ask(path)
        assert status == 200, text
        return json.loads(text)

    def until(self, path: str, wanted: Callable[[Any], bool]) -> Any:
        """Ask again and again, as pages do, until the answer is as wanted."""
        for _ in range(400):
            if wanted(seen := self.json(path)):
                return seen
            sleep(0.05)
        raise AssertionError(f"{path} still says {seen}")


@contextmanager
def served(store: Path, **options: Any) -> Iterator[Reader]:
    watch = Watch(str(store))
    with closing(watch), listen("127.0.0.1", 0) as listening:
        server = make_server(make_app(watch, **options))
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield Reader(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(20)
    assert not thread.is_alive()
