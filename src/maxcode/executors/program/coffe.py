"""Tasks of COFFE (https://github.com/JohnnyPeng18/Coffe): Python functions, and calls to time."""

from __future__ import annotations

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


class _Record(BaseModel):
    task_id: str | int
    dataset: Annotated[str, Field(min_length=1)]
    final_prompt: Annotated[str, Field(min_length=1)]

    @property
    def name(self) -> str:
        """``task_id``, behind its data set where it is a number alone."""
        own = str(self.task_id)
        return own if "/" in own else f"{self.dataset}/{own}"


class _Case(BaseModel):
    input: list[Any]
    output: Annotated[list[Any], Field(min_length=1, max_length=1)]


class _Stressful(BaseModel):
    input: Annotated[str, Field(min_length=1)]


class _Solutions(BaseModel):
    prompt2groundtruth: dict[str, Annotated[list[tuple[str, bool]], Field(min_length=1)]]
    prompt2io: dict[str, bool]


def load_coffe(
    folder: Path | str,
    sandbox: Sandbox,
    *,
    ids: Sequence[str] | None = None,
    notes: Notes = warnings.warn,
) -> list[ProgramTask]:
    """The tasks of COFFE's folder ``datasets/function``, or those of ``ids``.

    A task is named as in "HumanEval/0" or "mbpp/239", and starts from COFFE's solution. The first
    test has all correctness cases; each other test is a stressful call, made by code in the
    ``sandbox``, with the solution's recorded result. A single floating-point number may differ by
    1e-6; other results are compared as JSON. ``notes`` gets calls and instances left out, with the
    reason.

    Raises :class:`~maxcode.errors.TaskError` with file, record and field of a mistake, and if no
    instance is left; :class:`~maxcode.errors.InputError` for an unknown id.
    """
    folder = Path(folder)
    return tasks_of(folder, _instances(folder), sandbox, ids, notes)


def _instances(folder: Path) -> Iterator[Instance]:
    files = [folder / f"{name}.json" for name in ("solutions", "testcases", "stressful_testcases")]
    solved = read_json(files[0], _Solutions)
    if any(solved.prompt2io.values()):
        raise TaskError(f"{files[0]}: prompt2io: only functions are read (datasets/function)")
    cases = read_json(files[1], dict[str, Annotated[list[_Case], Field(min_length=1)]])
    tables = (solved.prompt2groundtruth, cases, read_json(files[2], dict[str, list[_Stressful]]))
    for record in read_json(folder / "data.json", list[_Record]):
        for path, table in zip(files, tables, strict=True):
            if record.final_prompt not in table:
                raise TaskError(f"{path}: {record.name}: no entry is there for its final_prompt")
        [solution, *_], given, stressful = (table[record.final_prompt] for table in tables)
        yield Instance(
            record.name,
            record.final_prompt,
            solution[0],
            "from solution import solution",
            [(case.input, case.output[0]) for case in given],
            [[one.input] for one in stressful],
        )
