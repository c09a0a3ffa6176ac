"""Matrices of which a usual run takes a part that covers every class; ``-m slow`` takes the rest.

Which part is written in the test module, by names, so that nobody has to run anything to know it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

Case = TypeVar("Case")


def first_of_each(classes: Mapping[str, str]) -> list[str]:
    """The first name of every class, whose names are in one text with blanks between."""
    return [names.split()[0] for names in classes.values()]


def all_of(classes: Mapping[str, str]) -> list[str]:
    """The names of all classes, in order of the alphabet."""
    return sorted(chain.from_iterable(names.split() for names in classes.values()))


def covering(
    cases: Iterable[Case], usual: Collection[str], name: Callable[[Case], str] = str
) -> list[ParameterSet]:
    """All cases as parameters, named; those that are not ``usual`` are marked slow."""
    return [
        pytest.param(case, id=name(case), marks=[] if name(case) in usual else [pytest.mark.slow])
        for case in cases
    ]


def asked_for(request: pytest.FixtureRequest, parameter: str) -> Sequence[object]:
    """Values of a parameter in the tests of a module that take part in this run, in order.

    For a fixture of the module that prepares all of it at once.
    """
    return list(
        {
            id(item.callspec.params[parameter]): item.callspec.params[parameter]
            for item in request.session.items
            if isinstance(item, pytest.Function)
            and item.path == request.path
            and hasattr(item, "callspec")
            and parameter in item.callspec.params
        }.values()
    )
