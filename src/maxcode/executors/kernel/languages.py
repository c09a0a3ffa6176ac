"""Languages for kernels besides C++, as far as installed.

A candidate in such a language is a Python file like any other. Its kernels are compiled in its own
process, at the first call, into a cache in its private folder, so candidates share no compiled
code.
"""

from __future__ import annotations

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
