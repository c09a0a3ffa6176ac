"""Published collections of Python functions as tasks: COFFE and EffiBench.

An instance has calls with known results, and generated calls, whose results are recorded.
COFFE: https://github.com/JohnnyPeng18/Coffe; EffiBench: https://github.com/huangd1999/EffiBench.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
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
from maxcode.tasks.pie import Notes
from maxcode.tasks.program import Judging, ProgramTask, TestCase
from maxcode.text import counted
from maxcode.toolchain.toolchains import Toolchains

_SECONDS = 60.0  # for all calls of an instance together
_SEED = 1024  # COFFE's
_CALL = f'''
import json
import sys

{{imported}}

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
        random.seed({_SEED})
        line = short(json.dumps(list(eval(expression))))
        made = {{{{"line": line, "result": short(called(line))}}}}
    except Exception as error:
        problem = type(error).__name__ + ": " + str(error)[:100]
        made = {{{{"line": line[:100], "problem": problem}}}}
    print(json.dumps(made), flush=True)
"""


_Text = Annotated[str, Field(min_length=1)]


class _Call(BaseModel):
    line: str = ""
    result: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Instance:
    """A function of a collection, in ``solution.py``.

    ``imported`` is code that defines ``solution`` by it. ``cases`` are arguments with their
    results. ``generated`` are expressions of further arguments, those of each test; modules in
    ``beside`` are there for them.
    """

    name: str
    prompt: str
    source: str
    imported: str
    cases: Sequence[tuple[list[Any], Any]]
    generated: Sequence[Sequence[str]]
    beside: tuple[tuple[str, str], ...] = ()

    def program(self, main: str, *beside: tuple[str, str]) -> Program:
        """The function, called by ``main``."""
        code = main.format(imported=self.imported)
        return Program({"main.py": code, "solution.py": self.source, **dict(beside)}, "main.py")

    @property
    def checker(self) -> Checker:
        """With a tolerance where all results are floating-point numbers, as COFFE's is_equal."""
        real = all(isinstance(result, float) for _, result in self.cases)
        return Checker("numbers" if real else "tokens", 1e-6)


class _CoffeRecord(BaseModel):
    task_id: str | int
    dataset: _Text
    final_prompt: _Text

    @property
    def name(self) -> str:
        """``task_id``, behind its data set where it is a number alone."""
        own = str(self.task_id)
        return own if "/" in own else f"{self.dataset}/{own}"


class _CoffeCase(BaseModel):
    input: list[Any]
    output: Annotated[list[Any], Field(min_length=1, max_length=1)]


class _CoffeCall(BaseModel):
    input: _Text


class _CoffeSolutions(BaseModel):
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
    return _tasks_of(folder, _of_coffe(folder), sandbox, ids, notes)


def _of_coffe(folder: Path) -> Iterator[_Instance]:
    files = [folder / f"{name}.json" for name in ("solutions", "testcases", "stressful_testcases")]
    solved = _read_json(files[0], _CoffeSolutions)
    if any(solved.prompt2io.values()):
        raise TaskError(f"{files[0]}: prompt2io: only functions are read (datasets/function)")
    cases = _read_json(files[1], dict[str, Annotated[list[_CoffeCase], Field(min_length=1)]])
    tables = (solved.prompt2groundtruth, cases, _read_json(files[2], dict[str, list[_CoffeCall]]))
    for record in _read_json(folder / "data.json", list[_CoffeRecord]):
        for path, table in zip(files, tables, strict=True):
            if record.final_prompt not in table:
                raise TaskError(f"{path}: {record.name}: no entry is there for its final_prompt")
        [solution, *_], given, stressful = (table[record.final_prompt] for table in tables)
        yield _Instance(
            record.name,
            record.final_prompt,
            solution[0],
            "from solution import solution",
            [(case.input, case.output[0]) for case in given],
            [[one.input] for one in stressful],
        )


_GENERATED_CALLS = [  # expressions of arguments that the generator makes of a seed
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


class _Problem(BaseModel):
    problem_idx: int
    markdown_description: str
    canonical_solution: _Text
    small_test_cases: str = ""
    test_case: _Text
    test_case_generator: _Text


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
    return _tasks_of(path, _of_effibench(path, notes), sandbox, ids, notes)


def _of_effibench(path: Path, notes: Notes) -> Iterator[_Instance]:
    for record in _read_json(path, list[_Problem]):
        name = f"EffiBench/{record.problem_idx}"
        try:
            method, cases = _asserted(f"{record.small_test_cases}\n{record.test_case}")
        except TaskError as error:
            notes(f"{name}: left out: {error}")
            continue
        yield _Instance(
            name,
            record.markdown_description,
            _PRELUDE + record.canonical_solution,
            f"from solution import Solution\n\nsolution = Solution().{method}",
            cases,
            _GENERATED_CALLS,
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


def _tasks_of(
    path: Path,
    instances: Iterable[_Instance],
    sandbox: Sandbox,
    ids: Sequence[str] | None,
    notes: Notes,
) -> list[ProgramTask]:
    """The tasks of the instances at a path, or of those with ``ids``.

    Raises :class:`~maxcode.errors.TaskError` if none is left, and
    :class:`~maxcode.errors.InputError` for an unknown id.
    """
    found = {instance.name: instance for instance in instances}
    for one in ids or ():
        if one not in found:
            some = f"{counted(len(found), 'instance')}, such as {', '.join(list(found)[:3])}"
            raise InputError(f"{path} has no instance {one}; it has {some}")
    tasks = []
    with ScratchFolder("maxcode-instances-") as scratch:
        toolchains = Toolchains(sandbox, scratch)
        for name in dict.fromkeys(found if ids is None else ids):
            try:
                calls = _calls(found[name], sandbox, toolchains, scratch)
                tasks.append(_task(found[name], calls, notes))
            except TaskError as error:
                notes(f"{name}: left out: {error}")
    if not tasks:
        raise TaskError(f"{path}: no instance is left")
    return tasks


def _read_json(path: Path, kind: Any) -> Any:
    """The content of a file, checked to be of a kind; of a ``.jsonl`` file the list of its lines.

    Raises :class:`~maxcode.errors.TaskError` with the place of a mistake.
    """
    content = read_bytes(path, TaskError)
    if not content.strip():
        raise TaskError(f"{path}: the file is empty; it should be JSON, as it is published")
    if path.suffix == ".jsonl":
        content = b"[" + b",".join(content.strip().splitlines()) + b"]"
    try:
        return TypeAdapter(kind).validate_json(content)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ": ".join(" ".join(str(part).split())[-80:] for part in problem["loc"])
        raise TaskError(f"{path}: {place}: {problem['msg']}") from error


def _calls(
    instance: _Instance, sandbox: Sandbox, toolchains: Toolchains, scratch: Path
) -> list[_Call]:
    """The calls of the cases, then the generated calls."""
    python, judging = toolchains.of("python"), Judging()
    built = python.build(instance.program(_MAKER, *instance.beside), (), judging.build_timeout)
    if built.executable is None:
        raise TaskError(f"its solution does not build: {built.errors}")
    cases = [repr(arguments) for arguments, _ in instance.cases]
    asked = [*cases, *(one for test in instance.generated for one in test)]
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
    results = [json.dumps(result, sort_keys=True) for _, result in instance.cases]
    for call, expected in zip(calls, results, strict=False):
        if call.problem:
            raise TaskError(f"its solution fails on {call.line or 'a case'}: {call.problem}")
        if instance.checker.difference(expected.encode(), call.result.encode()):
            got = f"{call.result[:100]} for {call.line[:100]}"
            raise TaskError(f"its solution gives {got}, where {expected[:100]} is expected")
    generated = calls[len(results) :]
    problems = [one.problem for one in generated if one.problem]
    if len(problems) == len(generated):
        raise TaskError(f"no generated call works: {(problems or ['there is none'])[0]}")
    if problems:
        number = counted(len(problems), "generated call")
        notes(f"{instance.name}: {number} of {len(generated)} left out: {problems[0]}")
    tests = [_test([call.line for call in calls[: len(results)]], results)]
    rest = iter(generated)
    for test in instance.generated:
        good = [call for call in islice(rest, len(test)) if not call.problem]
        if good:
            tests.append(_test([call.line for call in good], [call.result for call in good]))
    return ProgramTask(
        name=instance.name,
        statement="Make the function solution in solution.py faster; main.py calls it. It solves:\n"
        + instance.prompt,
        baseline=instance.program(_DRIVER),
        editable=("solution.py",),
        language="python",
        tests=tuple(
            TestCase(f"{number:03}", given, expected)
            for number, (given, expected) in enumerate(tests, 1)
        ),
        judging=Judging(checker=instance.checker),
    )


def _test(lines: Sequence[str], results: Sequence[str]) -> tuple[bytes, bytes]:
    """Input and output of a test."""
    given, expected = ("".join(f"{one}\n" for one in part) for part in (lines, results))
    return given.encode(), expected.encode()
