"""Rewrites: habits of experienced programmers, applied to the text of a program."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from maxcode.generators.rewrites.cpp import Edit
from maxcode.generators.rewrites.cpp.tree import compatible
from maxcode.generators.rewrites.support import Support

Site = Sequence[Edit]
"""The edits of a single place."""

Finder = Callable[[Any], Iterator[Site]]
"""A function of a source that finds places."""


@dataclass(frozen=True, eq=False)
class Rewrite:
    """A way to make a program faster by changing its text at separate places.

    An exact rewrite changes a place only where the language's rules, the syntax tree and the
    declared types prove that the program means the same afterwards, for every input with defined
    behaviour; unknown code is left alone. A ``guess`` may change the meaning in rare cases, which
    tests need not show. A rewrite is pure and deterministic, and never yields its input.

    ``find`` yields the edits of each place. The ``name`` is unique, such as `endl-to-newline`; the
    ``summary`` is its effect in a sentence; ``weight`` from 0 to 10 is the expected gain, a prior
    for ordering; ``requires`` its precondition, or a guess's assumption. ``headers`` are standard
    headers, or lines of imports in Python, and ``support`` declarations for the new code.
    ``languages`` are those of the changed programs, as in :attr:`~maxcode.task.Task.language`.
    """

    find: Finder
    name: str
    summary: str
    weight: float
    requires: str = ""
    guess: bool = False
    headers: Sequence[str] = ()
    support: Sequence[Support] = ()
    languages: Sequence[str] = ("c++",)

    def apply(self, source: Any) -> str | None:
        """The text with all places changed; None if that changes nothing.

        Of overlapping places the first is changed. ``source`` is a ``CppSource`` of C and C++, and
        a ``PythonSource`` of Python.
        """
        edits: list[Edit] = []
        for site in self.find(source):
            if compatible(edits, site):
                edits += site
        if not edits:
            return None
        headers = [*self.headers, *(header for part in self.support for header in part.headers)]
        support = [part.code for part in self.support]
        text: str = source.edited(edits, headers=headers, support=support)
        return None if text == source.text else text


def rewrite(summary: str, weight: float, **options: Any) -> Callable[[Finder], Rewrite]:
    """Make a rewrite of a function of sites; `endl_to_newline` is `endl-to-newline`.

    The options are those of :class:`Rewrite`.
    """
    return lambda find: Rewrite(find, find.__name__.replace("_", "-"), summary, weight, **options)
