"""The catalogue of rewrites for the offline generator."""

from maxcode.generators.rewrites import containers, functions, io, scripts
from maxcode.generators.rewrites.base import Rewrite
from maxcode.generators.rewrites.cpp import CppSource
from maxcode.generators.rewrites.python_source import PythonSource

__all__ = ["SOURCES", "CppSource", "PythonSource", "Rewrite", "catalogue"]

_THEMES = (containers, functions, io, scripts)
SOURCES: dict[str, type[CppSource | PythonSource]] = {
    "c++": CppSource,
    "c": CppSource,
    "python": PythonSource,
}
"""Languages that have rewrites, and how their files are read."""


def catalogue(language: str = "c++", *, guesses: bool = False) -> tuple[Rewrite, ...]:
    """Return the rewrites of a language, the most promising first.

    With ``guesses`` also those that may change a program's meaning in rare cases.
    """
    found = [one for theme in _THEMES for one in vars(theme).values() if isinstance(one, Rewrite)]
    chosen = [one for one in found if language in one.languages and (guesses or not one.guess)]
    return tuple(sorted(chosen, key=lambda one: (-one.weight, one.name)))
