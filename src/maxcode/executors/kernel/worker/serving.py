"""Serving: torch is imported, no device is touched, and requests are answered one by one."""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
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


_KEPT = 4000  # characters of each text about an error

Answer = Callable[[dict[str, Any], Channel], dict[str, Any]]
"""What a script defines as ``answer``: gives the answer to a request, may ask back before it."""


def serve(script: Path, threads: int) -> None:
    """Say that we are ready, and answer until there are no more requests.

    What ``answer`` raises is answered as ``{"error": {"kind", "message", "trace"}}``.
    """
    channel = Channel()  # before anything else could use its descriptors
    faulthandler.enable()
    gc.disable()  # spares a tenth of the time
    import torch  # noqa: PLC0415

    gc.freeze()
    gc.enable()
    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    answer = _answering(script)
    facts = {"python": sys.version.split()[0], "torch": torch.__version__, "cuda": _cuda(torch)}
    channel.send({"ready": facts})
    while (request := channel.receive()) is not None:
        try:
            channel.send(answer(request, channel))
        except Exception as error:  # noqa: BLE001 - for the other side to judge
            channel.send({"error": _described(error)})


def _answering(script: Path) -> Answer:
    spec = spec_from_file_location("script", script)
    if spec is None or spec.loader is None:
        raise ImportError(f"{script} is no Python file")
    module = module_from_spec(spec)
    sys.modules["script"] = module
    spec.loader.exec_module(module)
    answer: Answer = module.answer
    return answer


def _cuda(torch: Any) -> str | None:
    """The version torch is built for; asking for devices would touch them."""
    version: str | None = torch.version.cuda
    return version


def _described(error: Exception) -> dict[str, str]:
    trace = "".join(traceback.format_exception(error))
    return {
        "kind": type(error).__name__[:_KEPT],
        "message": str(error)[:_KEPT],
        "trace": trace[-_KEPT:],
    }
