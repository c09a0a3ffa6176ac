"""The catalogue of rewrites that the offline generator chooses from."""

from maxcode.generators.rewrites import arithmetic, containers, functions, io, lookups, loops
from maxcode.generators.rewrites.base import Rewrite
from maxcode.generators.rewrites.cpp import CppSource

__all__ = ["CppSource", "Rewrite", "catalogue"]

_THEMES = (arithmetic, containers, functions, io, lookups, loops)


def catalogue() -> tuple[Rewrite, ...]:
    """Return every rewrite of the modules here, those of which most is expected first."""
    found = [one for theme in _THEMES for one in vars(theme).values() if isinstance(one, Rewrite)]
    return tuple(sorted(found, key=lambda one: (-one.weight, one.name)))
