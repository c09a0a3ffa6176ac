"""A worker's end of its channel to the judge."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from maxcode.executors.kernel.worker.messages import Build, Built, encode, unpack

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

    def receive(self) -> tuple[str, Sequence[Any]] | None:
        """Name and arguments of the next request; None at the end."""
        line = self._requests.readline()
        if not line.endswith(b"\n"):
            return None
        self._token, name, given = unpack(line)
        return name, given

    def fill(self, memory: memoryview) -> None:
        """Read the bytes after a request. Raises :class:`EOFError` if there are fewer."""
        if self._requests.readinto(memory) < len(memory):
            raise EOFError("the payload of a request was cut off")

    def send(self, answer: Any, kind: str = "answer") -> None:
        """Answer a request, with its token, known only to readers of the request.

        ``kind`` is "answer", "build" or "failure". Raises as :func:`encode` does.
        """
        rest = memoryview(encode(self._token, **{kind: answer}) + b"\n")
        while rest:
            rest = rest[os.write(ANSWERS, rest) :]

    def ask(self, question: Build) -> Built:
        """Answer with a question; returns its answer. Raises :class:`EOFError` if there is none."""
        self.send(question, "build")
        request = self.receive()
        if request is None:
            raise EOFError("the parent closed the channel")
        built: Built = request[1][0]
        return built
