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

    An exact rewrite keeps the meaning for every input with defined behaviour: by the language's
    rules, the syntax tree and the declared types, or since other programs do not build. A ``guess``
    may change it in rare cases, which tests need not show. A rewrite is pure and deterministic.

    ``find`` yields the edits of each place. The ``name`` is unique, the ``summary`` its effect in a
    sentence, ``weight`` from 0 to 10 the expected gain, ``requires`` its precondition or a guess's
    assumption. ``headers`` are standard headers, or lines of imports in Python, and ``support``
    declarations for the new code, in ``languages`` as in :attr:`~maxcode.task.Task.language`.
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
