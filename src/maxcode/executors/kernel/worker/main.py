"""A worker process, run by this file's path: imports torch and answers requests in turn.

Its argument is a JSON object: ``packages``, folders for the path; ``script``, the path of a Python
file that defines ``answer(request, channel)``; ``threads``.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import sys
import traceback
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

_PACKAGE = "maxcode.executors.kernel.worker"
_ANSWERS = 3  # the descriptor that answers go to
_KEPT = 4000  # characters of each text about an error


class Channel:
    """Owns standard input and descriptor 3, so no other code uses them by accident.

    Later code in this process could do so on purpose: the parent trusts no answer.
    """

    def __init__(self) -> None:
        self._requests = os.fdopen(os.dup(0), "rb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.set_inheritable(_ANSWERS, False)
        self._token: Any = None

    def receive(self) -> dict[str, Any] | None:
        """The next request; None at the end."""
        line = self._requests.readline()
        if not line.endswith(b"\n"):
            return None
        request: dict[str, Any] = json.loads(line)
        self._token = request.pop("token", None)
        return request

    def fill(self, memory: memoryview) -> None:
        """Read the bytes after a request. Raises :class:`EOFError` if there are fewer."""
        if self._requests.readinto(memory) < len(memory):
            raise EOFError("the payload of a request was cut off")

    def send(self, answer: Mapping[str, Any]) -> None:
        """Answer a request, with its token, known only to readers of the request.

        Raises ValueError or TypeError for values without JSON form, such as NaN.
        """
        marked = {**answer, "token": self._token}
        rest = memoryview(json.dumps(marked, allow_nan=False).encode() + b"\n")
        while rest:
            rest = rest[os.write(_ANSWERS, rest) :]

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Answer with a question, and return the next request, which answers it.

        Raises :class:`EOFError` if there is none.
        """
        self.send(question)
        answer = self.receive()
        if answer is None:
            raise EOFError("the parent closed the channel")
        return answer


def serve(script: Path, threads: int) -> None:
    """Send ``{"ready": ...}``, then answer requests by the script until the last.

    An exception in the script is answered as ``{"error": {"kind", "message", "trace"}}``.
    """
    channel = Channel()  # before anything else could use its descriptors
    faulthandler.enable()
    gc.disable()  # spares a tenth of the time
    import torch  # noqa: PLC0415

    from maxcode.executors.kernel.worker.calls import touch_memory  # noqa: PLC0415

    gc.freeze()
    gc.enable()
    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    spec = spec_from_file_location("script", script)
    if spec is None or spec.loader is None:
        raise ImportError(f"{script} is no Python file")
    module = module_from_spec(spec)
    sys.modules["script"] = module
    spec.loader.exec_module(module)
    touch_memory()
    channel.send({"ready": True})
    while (request := channel.receive()) is not None:
        try:
            channel.send(module.answer(request, channel))
        except Exception as error:  # noqa: BLE001 - for the parent to judge
            kind, trace = type(error).__name__, "".join(traceback.format_exception(error))
            about = {"kind": kind[:_KEPT], "message": str(error)[:_KEPT], "trace": trace[-_KEPT:]}
            channel.send({"error": about})


def _set_environment(threads: int) -> None:
    """Set the environment variables of torch and packages built on it."""
    folder = os.getcwd()  # private, and removed with this process
    os.environ.update(
        HOME=folder,
        TMPDIR=folder,
        USER="worker",  # there is no list of users to look the name up in
        OMP_NUM_THREADS=str(threads),
        MKL_NUM_THREADS=str(threads),
        OMP_WAIT_POLICY="passive",  # threads that spin would seem to compute
        PYTHONDONTWRITEBYTECODE="1",
    )


def _provide_package() -> None:
    """Make modules of this folder importable under their names, and nothing else of maxcode."""
    names = _PACKAGE.split(".")
    for count in range(1, len(names) + 1):
        package = ModuleType(".".join(names[:count]))
        package.__path__ = []
        sys.modules[package.__name__] = package
    sys.modules[_PACKAGE].__path__ = [str(Path(__file__).parent)]
    sys.modules[f"{_PACKAGE}.main"] = sys.modules["__main__"]


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    sys.argv[1:] = []
    _set_environment(given["threads"])
    _provide_package()
    sys.path += given["packages"]
    serve(Path(given["script"]), given["threads"])
