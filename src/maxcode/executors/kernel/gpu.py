"""Gpu: the GPU that kernels are judged on, found without touching it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from maxcode.errors import ToolError

_DEVICES = Path("/dev")
_DRIVER = ("nvidiactl", "nvidia-uvm")


@dataclass(frozen=True, slots=True)
class Gpu:
    """An NVIDIA GPU: the file that stands for it, and those of the driver."""

    device: Path
    driver: tuple[Path, ...]

    @property
    def files(self) -> tuple[Path, ...]:
        """All that a sandbox has to bind for CUDA to work."""
        return (self.device, *self.driver)


def this_gpu(devices: Path = _DEVICES) -> Gpu | None:
    """The first that ``CUDA_VISIBLE_DEVICES`` names by number, else the first of all; or none.

    Raises :class:`~maxcode.errors.ToolError` when that names one otherwise.
    """
    found = {path.name: path for path in devices.glob("nvidia*")}
    numbers = sorted(
        int(match[1]) for name in found if (match := re.fullmatch(r"nvidia(\d+)", name))
    )
    wanted = os.environ.get("CUDA_VISIBLE_DEVICES")
    if wanted is not None:
        first = wanted.split(",")[0].strip()
        if first.isdecimal():
            numbers = [number for number in numbers if number == int(first)]
        elif not first or first == "-1":
            numbers = []
        elif numbers:
            raise ToolError(
                f"CUDA_VISIBLE_DEVICES names {first!r}, and maxcode takes a GPU by its number; set "
                "it to one, or to nothing to judge on the CPU"
            )
    if not numbers or "nvidiactl" not in found:
        return None
    driver = tuple(found[name] for name in _DRIVER if name in found)
    return Gpu(found[f"nvidia{numbers[0]}"], driver)
