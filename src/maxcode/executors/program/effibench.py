"""Tasks of EffiBench (https://github.com/huangd1999/EffiBench): solutions of LeetCode in Python."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from maxcode.errors import TaskError
from maxcode.executors.program.instances import Instance, read_json, tasks_of
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.pie import Notes
from maxcode.tasks.program import ProgramTask

_GENERATED = [  # expressions of arguments that the generator makes of a seed
    [f"random.seed({seed}) or __import__('generator').generate_test_case()[:-1]" for seed in seeds]
    for seeds in (range(2000), range(2000, 4000))
]
_STARS = (
    *("typing", "bisect", "collections", "copy", "datetime", "heapq", "math", "re", "string"),
    *("random", "itertools", "functools", "operator"),
)
_NAMES = "string, re, datetime, collections, heapq, bisect, copy, math, random, itertools"
_PRELUDE = (
    "".join(f"from {name} import *\n" for name in _STARS)
    + f"import {_NAMES}, functools, operator\n\n\n"
)
"""The names that EffiBench's script offers to a solution."""


class _Record(BaseModel):
    problem_idx: int
    markdown_description: str
    canonical_solution: Annotated[str, Field(min_length=1)]
    small_test_cases: str = ""
    test_case: Annotated[str, Field(min_length=1)]
    test_case_generator: Annotated[str, Field(min_length=1)]


def load_effibench(
    path: Path | str,
    sandbox: Sandbox,
    *,
    ids: Sequence[str] | None = None,
    notes: Notes = warnings.warn,
) -> list[ProgramTask]:
    """The tasks of EffiBench's ``data/dataset.json``, or those of ``ids``, as "EffiBench/2294".

    A task starts from the canonical solution. The first test has the calls of ``small_test_cases``
    and ``test_case``; two more have 2000 calls each, made by ``test_case_generator`` in the
    ``sandbox``, with the solution's recorded results. ``notes`` gets instances left out, such as
    those with trees or lists of nodes, which JSON cannot express.

    Raises :class:`~maxcode.errors.TaskError` with record and field of a mistake, and if no instance
    is left; :class:`~maxcode.errors.InputError` for an unknown id.
    """
    path = Path(path)
    return tasks_of(path, _instances(path, notes), sandbox, ids, notes)


def _instances(path: Path, notes: Notes) -> Iterator[Instance]:
    for record in read_json(path, list[_Record]):
        name = f"EffiBench/{record.problem_idx}"
        try:
            method, cases = _asserted(f"{record.small_test_cases}\n{record.test_case}")
        except TaskError as error:
            notes(f"{name}: left out: {error}")
            continue
        yield Instance(
            name,
            record.markdown_description,
            _PRELUDE + record.canonical_solution,
            f"from solution import Solution\n\nsolution = Solution().{method}",
            cases,
            _GENERATED,
            (("generator.py", _PRELUDE + record.test_case_generator),),
        )


def _asserted(code: str) -> tuple[str, list[tuple[list[Any], Any]]]:
    """The method of ``assert solution.METHOD(...) == ...``, and arguments and result of each."""
    method, cases = "", []
    try:
        for one in ast.walk(ast.parse(code)):
            match one:
                case ast.Assert(
                    ast.Compare(
                        ast.Call(ast.Attribute(ast.Name("solution"), name), arguments, []),
                        [ast.Eq()],
                        [expected],
                    )
                ):
                    method = name
                    given = [ast.literal_eval(argument) for argument in arguments]
                    cases.append((given, ast.literal_eval(expected)))
                case ast.Assert():
                    raise TaskError(f"a test is no comparison: {ast.unparse(one)[:100]}")
    except (SyntaxError, ValueError) as error:
        raise TaskError(f"a test is no call with plain values: {str(error)[:100]}") from error
    if not cases:
        raise TaskError("it has no tests")
    return method, cases
