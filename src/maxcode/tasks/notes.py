"""Notes: what a reader should know of files that are in order."""

from __future__ import annotations

import warnings
from collections.abc import Callable

Notes = Callable[[str], object]
"""Is told what a reader should know of a file that is in order."""


def as_warning(note: str) -> None:
    """The note as a warning, for whoever did not ask for notes."""
    warnings.warn(note, stacklevel=3)
