"""Channel: the worker's side of the conversation, one JSON object a line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

_ANSWERS = 3


class Channel:
    """Takes standard input and descriptor 3 for itself, so that nobody reads or writes by chance.

    What runs later in this process could all the same: nothing said here can be trusted outside.
    """

    def __init__(self) -> None:
        self._requests = os.fdopen(os.dup(0), "rb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.set_inheritable(_ANSWERS, False)
        self._token: Any = None

    def receive(self) -> dict[str, Any] | None:
        """The next request; None when there will be no more."""
        line = self._requests.readline()
        if not line.endswith(b"\n"):
            return None
        request: dict[str, Any] = json.loads(line)
        self._token = request.pop("token", None)
        return request

    def fill(self, memory: memoryview) -> None:
        """Read what goes with a request. Raises :class:`EOFError` when there is less."""
        if self._requests.readinto(memory) < len(memory):
            raise EOFError("what goes with a request was cut off")

    def send(self, answer: Mapping[str, Any]) -> None:
        """Answer a request. Raises ValueError or TypeError for what is no JSON, such as a NaN.

        The token of the request goes with it: who has not read the one cannot answer it.
        """
        marked = {**answer, "token": self._token}
        rest = memoryview(json.dumps(marked, allow_nan=False).encode() + b"\n")
        while rest:
            rest = rest[os.write(_ANSWERS, rest) :]

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Answer with a question, and wait for the next request, which answers it.

        Raises :class:`EOFError` when there is none.
        """
        self.send(question)
        answer = self.receive()
        if answer is None:
            raise EOFError("nobody answers")
        return answer
