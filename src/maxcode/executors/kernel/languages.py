"""Languages for kernels besides C++, as far as installed.

A candidate in such a language is a Python file like any other. Its kernels are compiled in its own
process, at the first call, into a cache in its private folder, so candidates share no compiled
code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec


@dataclass(frozen=True, slots=True)
class Language:
    """A language: ``name``, the ``module`` to import, and ``packages`` that may provide it.

    The first package is the usual one to install.
    """

    name: str
    module: str
    packages: tuple[str, ...]

    def version(self) -> str:
        """Installed version; empty if not installed."""
        if find_spec(self.module) is None:
            return ""
        for package in self.packages:
            try:
                return version(package)
            except PackageNotFoundError:
                continue
        return ""


LANGUAGES = (
    Language("Triton", "triton", ("triton", "pytorch-triton")),
    Language("CuTe DSL", "cutlass", ("nvidia-cutlass-dsl",)),
    Language("TileLang", "tilelang", ("tilelang",)),
)

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
    found = ((one.name, one.version()) for one in LANGUAGES)
    return tuple(f"{name} {number}" for name, number in found if number)


def explained(message: str, device: str) -> str:
    """Hint for the error message of a candidate without its language or device; may be ""."""
    missing = _MISSING.search(message)
    language = next((one for one in LANGUAGES if missing and one.module == missing[1]), None)
    if device == "cpu":
        if language:
            return f"{language.name} {_ON_THE_CPU}"
        return f"Triton and other GPU {_ON_THE_CPU}" if _NO_DEVICE.search(message) else ""
    if language and find_spec(language.module) is None:
        package = language.packages[0]
        return (
            f"this candidate needs {package}, which is not installed where torch is: write CUDA "
            f"through load_inline (cuda_sources), or have somebody pip install {package}"
        )
    return ""
