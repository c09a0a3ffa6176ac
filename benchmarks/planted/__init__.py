"""Correct programs, wrong ones that pass the same examples, and correct ones written otherwise."""

from __future__ import annotations

from planted import graphs, numbers, rows, structures, words
from planted.problem import Problem

PROBLEMS: list[Problem] = [
    problem for theme in (numbers, rows, words, structures, graphs) for problem in theme.PROBLEMS
]
