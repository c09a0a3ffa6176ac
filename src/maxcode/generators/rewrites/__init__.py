"""The catalogue of rewrites for the offline generator."""

from maxcode.generators.rewrites import containers, functions, io, loops
from maxcode.generators.rewrites.base import Rewrite
from maxcode.generators.rewrites.cpp import CppSource

__all__ = ["CppSource", "Rewrite", "catalogue"]

_THEMES = (containers, functions, io, loops)


def catalogue(*, guesses: bool = False) -> tuple[Rewrite, ...]:
    """Return the rewrites of the modules here, the most promising first.

    With ``guesses`` also those that may change a program's meaning in rare cases.
    """
    found = [one for theme in _THEMES for one in vars(theme).values() if isinstance(one, Rewrite)]
    chosen = [one for one in found if guesses or not one.guess]
    return tuple(sorted(chosen, key=lambda one: (-one.weight, one.name)))
