"""Serving: torch is imported, no device is touched, and requests are answered one by one."""

from __future__ import annotations

import faulthandler
import gc
import sys
import traceback
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from maxcode.executors.kernel.worker.channel import Channel

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
