"""A worker's end of its channel to the judge."""

from __future__ import annotations

import os
from typing import Any

from maxcode.executors.kernel.worker.messages import (
    Build,
    Built,
    Request,
    decode_request,
    encode,
)

ANSWERS = 3
"""Descriptor that answers go to, and on a GPU descriptors come from."""


class Channel:
    """Owns standard input and descriptor 3, so no other code uses them by accident.

    Later code in this process could do so on purpose: the parent trusts no answer.
    """

    def __init__(self) -> None:
        self._requests = os.fdopen(os.dup(0), "rb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.set_inheritable(ANSWERS, False)
        self._token = ""

    def receive(self) -> Request[Any] | None:
        """The next request; None at the end."""
        line = self._requests.readline()
        if not line.endswith(b"\n"):
            return None
        request, self._token = decode_request(line)
        return request

    def fill(self, memory: memoryview) -> None:
        """Read the bytes after a request. Raises :class:`EOFError` if there are fewer."""
        if self._requests.readinto(memory) < len(memory):
            raise EOFError("the payload of a request was cut off")

    def send(self, answer: Any) -> None:
        """Answer a request, with its token, known only to readers of the request.

        Raises ValueError or TypeError for values without JSON form, such as NaN.
        """
        rest = memoryview(encode(answer, self._token) + b"\n")
        while rest:
            rest = rest[os.write(ANSWERS, rest) :]

    def ask(self, question: Build) -> Built:
        """Answer with a question, and return the next request, which answers it.

        Raises :class:`EOFError` if there is none.
        """
        self.send(question)
        answer = self.receive()
        if not isinstance(answer, Built):
            raise EOFError("the parent closed the channel")
        return answer
