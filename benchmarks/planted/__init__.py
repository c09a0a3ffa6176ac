"""Correct programs, wrong ones that pass the same examples, and correct ones written otherwise."""

from __future__ import annotations

from planted import numbers, rows, structures, words
from planted.problem import Problem

PROBLEMS: list[Problem] = [*numbers.PROBLEMS, *rows.PROBLEMS, *words.PROBLEMS, *structures.PROBLEMS]
