"""Languages for kernels besides C++, as far as installed.

A candidate in such a language is a Python file like any other. Its kernels are compiled in its own
process, at the first call, into a cache in its private folder, so candidates share no compiled
code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

LANGUAGES = {
    "triton": ("Triton", "triton", "pytorch-triton"),
    "cutlass": ("CuTe DSL", "nvidia-cutlass-dsl"),
    "tilelang": ("TileLang", "tilelang"),
}
"""By module: the name, and packages that may provide it, the usual one first."""

_MISSING = re.compile(r"No module named '(\w+)")
_NO_DEVICE = re.compile(
    r"0 active drivers|no CUDA-capable device|CUDA_ERROR_NO_DEVICE|cudaErrorNoDevice"
    r"|cudaErrorInsufficientDriver|libcuda\.so|Found no NVIDIA driver"
)
_ON_THE_CPU = (
    "kernels need a GPU, and there is none that can be used here: write C++ through "
    "load_inline (cpp_sources), or plain PyTorch"
)


def installed() -> tuple[str, ...]:
    """Installed languages, with their versions."""
    here = (about for module, about in LANGUAGES.items() if find_spec(module))
    found = ((name, _version(packages)) for name, *packages in here)
    return tuple(f"{name} {number}" for name, number in found if number)


def _version(packages: Sequence[str]) -> str:
    for package in packages:
        with suppress(PackageNotFoundError):
            return version(package)
    return ""


def explained(message: str, device: str) -> str:
    """Hint for the error message of a candidate without its language or device; may be ""."""
    missing = _MISSING.search(message)
    name, package, *_ = LANGUAGES.get(missing[1] if missing else "", ("", ""))
    if device == "cpu":
        name = name or ("Triton and other GPU" if _NO_DEVICE.search(message) else "")
        return f"{name} {_ON_THE_CPU}" if name else ""
    if missing and name and find_spec(missing[1]) is None:
        return (
            f"this candidate needs {package}, which is not installed where torch is: write CUDA "
            f"through load_inline (cuda_sources), or have somebody pip install {package}"
        )
    return ""
