"""Work of the tests' workers, for honest and dishonest requests."""

import ctypes
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from maxcode.executors.kernel.worker.channel import Channel
from maxcode.executors.kernel.worker.messages import Build, Start


class Deeds:
    """Each method is a request."""

    def __init__(self, start: Start, channel: Channel) -> None:
        self.channel = channel

    def look(self, home: str) -> dict[str, Any]:
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
            "home": sorted(os.listdir(home)) if os.path.isdir(home) else [],
        }

    def touch(self, path: str, size: int) -> None:
        with open(path, "r+b") as file:
            file.write(b"x" * size)

    def crash(self) -> None:
        ctypes.string_at(0)

    def hold(self, size: int) -> int:
        return torch.ones(size, dtype=torch.uint8).numel()

    def fork(self) -> None:
        if os.fork() == 0:
            time.sleep(97)

    def add(self, numbers: Sequence[int]) -> int:
        return sum(numbers)

    def ask(self) -> str:
        return self.channel.ask(Build({"question": 1})).errors

    def read(self, path: str) -> str:
        return Path(path).read_text()

    def fail(self) -> float:
        return 1 / 0

    def nan(self) -> float:
        return float("nan")


work = Deeds
