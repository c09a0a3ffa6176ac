"""What the workers of the tests do, for honest and dishonest requests."""

import ctypes
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from _deeds import Deed, Told  # type: ignore[import-not-found]

from maxcode.executors.kernel.worker.channel import Channel
from maxcode.executors.kernel.worker.messages import Build, Start


def handler(start: Start, channel: Channel) -> Callable[[Deed], Told]:
    """Function to do what a request says."""
    return lambda request: Told(_DEEDS[request.do](request.given, channel))


def _look(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    try:
        import maxcode.errors  # noqa: F401, PLC0415

        whole = True
    except ImportError:
        whole = False
    return {
        "environment": dict(os.environ),
        "threads": torch.get_num_threads(),
        "cuda": torch.cuda.is_initialized(),  # type: ignore[no-untyped-call]
        "maxcode": whole,
        "typed": sys.stdin.read(),
        "home": sorted(os.listdir(request["home"])) if os.path.isdir(request["home"]) else [],
        "descriptors": sorted(os.listdir("/proc/self/fd"), key=int),
    }


def _double(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    size = request["count"]
    given = torch.from_file(request["inputs"], size=size, dtype=torch.float32)
    made = torch.from_file(request["outputs"], shared=True, size=size, dtype=torch.float32)
    made.copy_(2 * given)
    return {"sum": made.sum().item()}


def _touch(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    with open(request["path"], "r+b") as file:
        file.write(b"x" * request["bytes"])
    return {}


def _crash(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    ctypes.string_at(0)
    return {}


def _hold(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    held = torch.ones(request["bytes"], dtype=torch.uint8)
    return {"held": held.numel()}


def _fork(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    if os.fork() == 0:
        time.sleep(97)
    return {}


_DEEDS: dict[str, Any] = {
    "look": _look,
    "double": _double,
    "touch": _touch,
    "crash": _crash,
    "hold": _hold,
    "fork": _fork,
    "add": lambda request, channel: {"sum": sum(request["numbers"])},
    "ask": lambda request, channel: {"heard": channel.ask(Build({"question": 1})).errors},
    "read": lambda request, channel: {"text": Path(request["path"]).read_text()},
    "fail": lambda request, channel: {"never": 1 / 0},
    "nan": lambda request, channel: {"number": float("nan")},
}
