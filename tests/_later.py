"""Modules that take seconds to import, imported when a test first needs something of them.

Every worker of a test run imports all test modules, to find the tests, and runs a part of them.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


class Later:
    """A module, by its name: ``if TYPE_CHECKING: import torch``, and else ``Later("torch")``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("__", "_mock", "_pytest", "pytest")):  # pytest looks for fixtures
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


def needs(package: str) -> pytest.MarkDecorator:
    """Skips tests where this package is missing, as ``importorskip`` does, and imports nothing."""
    return pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed")
