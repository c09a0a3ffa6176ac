"""Tasks of COFFE (https://github.com/JohnnyPeng18/Coffe): Python functions, and calls to time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from maxcode.errors import InputError, TaskError
from maxcode.executors.program.functions import PLAIN
from maxcode.files import read_bytes
from maxcode.program import Program
from maxcode.sandbox.base import Limits, Sandbox
from maxcode.system import ScratchFolder
from maxcode.tasks.checkers import Checker
from maxcode.tasks.kernelbench import Notes, as_warning
from maxcode.tasks.program import Judging, ProgramTask, TestCase
from maxcode.text import counted
from maxcode.toolchain.toolchains import Toolchains

_SECONDS = 60.0  # for all calls of an instance together
_CALL = f'''
import json
import sys

from solution import solution

sys.setrecursionlimit(10**6)
sys.set_int_max_str_digits(10**6)

{PLAIN}
def called(line):
    """The result of a call, in JSON."""
    return json.dumps(solution(*json.loads(line)), default=plain, sort_keys=True)

'''
_DRIVER = f'''"""Call the solution for each line of standard input: its arguments in JSON."""
{_CALL}
print("\\n".join([called(line) for line in sys.stdin]))
'''
_MAKER = f"""
{_CALL}
import random

def short(text):
    if len(text) > 4 << 20:  # to read and write it would take most of the time
        raise ValueError("more than 4 MiB of arguments or result")
    return text

for expression in json.load(sys.stdin):
    line = ""
    try:
        random.seed(1024)  # as COFFE does
        line = short(json.dumps(list(eval(expression))))
        made = {{"line": line, "result": short(called(line))}}
    except Exception as error:
        made = {{"line": line[:100], "problem": type(error).__name__ + ": " + str(error)[:100]}}
    print(json.dumps(made), flush=True)
"""


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


class _Call(BaseModel):
    line: str = ""
    result: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Instance:
    """A function named ``solution`` with its cases, and expressions of further arguments."""

    name: str
    prompt: str
    source: str
    cases: list[_Case]
    stressful: list[_Stressful]

    def program(self, main: str) -> Program:
        """The function, called by ``main``."""
        return Program({"main.py": main, "solution.py": self.source}, "main.py")

    @property
    def checker(self) -> Checker:
        """With the tolerance of COFFE's is_equal where results are floating-point numbers."""
        real = all(isinstance(case.output[0], float) for case in self.cases)
        return Checker("numbers" if real else "tokens", 1e-6)


def load_coffe(
    folder: Path | str,
    sandbox: Sandbox,
    *,
    ids: Sequence[str] | None = None,
    notes: Notes = as_warning,
) -> list[ProgramTask]:
    """The tasks of COFFE's folder ``datasets/function``, or those of ``ids``.

    A task is named as in "HumanEval/0" or "mbpp/239", and starts from COFFE's solution. The first
    test has all correctness cases; each other test is a stressful call. Stressful calls are code:
    they run in the ``sandbox``, with the solution, whose results are recorded. A single
    floating-point number may differ by 1e-6; other results are compared as JSON. ``notes`` gets
    calls left out, which JSON cannot express, fail, or have more than 4 MiB of arguments or result;
    and instances whose solution does not give COFFE's results, or without a stressful call.

    Raises :class:`~maxcode.errors.TaskError` with file, record and field of a mistake, and if no
    instance is left; :class:`~maxcode.errors.InputError` for an unknown id.
    """
    folder = Path(folder)
    found = {instance.name: instance for instance in _instances(folder)}
    for one in ids or ():
        if one not in found:
            some = f"{counted(len(found), 'instance')}, such as {', '.join(list(found)[:3])}"
            raise InputError(f"{folder} has no instance {one}; it has {some}")
    tasks = []
    with ScratchFolder("maxcode-coffe-") as scratch:
        toolchains = Toolchains(sandbox, scratch)
        for name in dict.fromkeys(found if ids is None else ids):
            try:
                calls = _calls(found[name], sandbox, toolchains, scratch)
                tasks.append(_task(found[name], calls, notes))
            except TaskError as error:
                notes(f"{name}: left out: {error}")
    if not tasks:
        raise TaskError(f"{folder}: no instance is left")
    return tasks


def _instances(folder: Path) -> Iterator[_Instance]:
    files = [folder / f"{name}.json" for name in ("solutions", "testcases", "stressful_testcases")]
    solved = _read(files[0], _Solutions)
    if any(solved.prompt2io.values()):
        raise TaskError(f"{files[0]}: prompt2io: only functions are read (datasets/function)")
    cases = _read(files[1], dict[str, Annotated[list[_Case], Field(min_length=1)]])
    tables = (solved.prompt2groundtruth, cases, _read(files[2], dict[str, list[_Stressful]]))
    for record in _read(folder / "data.json", list[_Record]):
        for path, table in zip(files, tables, strict=True):
            if record.final_prompt not in table:
                raise TaskError(f"{path}: {record.name}: no entry is there for its final_prompt")
        [solution, *_], given, stressful = (table[record.final_prompt] for table in tables)
        yield _Instance(record.name, record.final_prompt, solution[0], given, stressful)


def _read(path: Path, kind: Any) -> Any:
    content = read_bytes(path, TaskError)
    if not content.strip():
        raise TaskError(f"{path}: the file is empty; it should be JSON, as COFFE publishes it")
    try:
        return TypeAdapter(kind).validate_json(content)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ": ".join(" ".join(str(part).split())[-80:] for part in problem["loc"])
        raise TaskError(f"{path}: {place}: {problem['msg']}") from error


def _calls(
    instance: _Instance, sandbox: Sandbox, toolchains: Toolchains, scratch: Path
) -> list[_Call]:
    """The calls of the cases, then the stressful calls."""
    python, judging = toolchains.of("python"), Judging()
    built = python.build(instance.program(_MAKER), (), judging.build_timeout)
    if built.executable is None:
        raise TaskError(f"its solution does not build: {built.errors}")
    cases = [repr(case.input) for case in instance.cases]
    asked = [*cases, *(one.input for one in instance.stressful)]
    given = scratch / "expressions.json"
    given.write_text(json.dumps(asked))
    command = python.command(built.executable, ())
    limits = command.limits(Limits(_SECONDS, judging.memory))
    run = sandbox.run(command.words, limits, command.files(given))
    try:
        calls = [_Call.model_validate_json(line) for line in run.stdout.splitlines()]
    except ValidationError:
        raise TaskError("its solution prints") from None
    return calls + [_Call(problem=f"the process {run.cause}")] * (len(asked) - len(calls))


def _task(instance: _Instance, calls: Sequence[_Call], notes: Notes) -> ProgramTask:
    results = [json.dumps(case.output[0], sort_keys=True) for case in instance.cases]
    for call, expected in zip(calls, results, strict=False):
        if call.problem:
            raise TaskError(f"its solution fails on {call.line or 'a case'}: {call.problem}")
        if instance.checker.difference(expected.encode(), call.result.encode()):
            got = f"{call.result[:100]} for {call.line[:100]}"
            raise TaskError(f"its solution gives {got}, where COFFE expects {expected[:100]}")
    stressful = calls[len(results) :]
    problems = [one.problem for one in stressful if one.problem]
    if len(problems) == len(stressful):
        raise TaskError(f"no stressful call works: {(problems or ['there is none'])[0]}")
    if problems:
        number = counted(len(problems), "stressful call")
        notes(f"{instance.name}: {number} of {len(stressful)} left out: {problems[0]}")
    lines = "\n".join(one.line for one in calls[: len(results)])
    tests = [(lines, "\n".join(results))]
    tests += [(one.line, one.result) for one in stressful if not one.problem]
    return ProgramTask(
        name=instance.name,
        statement="Make the function solution in solution.py faster; main.py calls it. It solves:\n"
        + instance.prompt,
        baseline=instance.program(_DRIVER),
        editable=("solution.py",),
        language="python",
        tests=tuple(
            TestCase(f"{number:03}", f"{given}\n".encode(), f"{expected}\n".encode())
            for number, (given, expected) in enumerate(tests, 1)
        ),
        judging=Judging(checker=instance.checker),
    )
