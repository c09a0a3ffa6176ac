"""Functions of published collections as tasks: calls with known results, and generated calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from maxcode.errors import InputError, TaskError
from maxcode.executors.program.functions import PLAIN
from maxcode.files import read_bytes
from maxcode.program import Program
from maxcode.sandbox.base import Limits, Sandbox
from maxcode.system import ScratchFolder
from maxcode.tasks.checkers import Checker
from maxcode.tasks.kernelbench import Notes
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


class _Call(BaseModel):
    line: str = ""
    result: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Instance:
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


def tasks_of(
    path: Path,
    instances: Iterable[Instance],
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


def read_json(path: Path, kind: Any) -> Any:
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
    instance: Instance, sandbox: Sandbox, toolchains: Toolchains, scratch: Path
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


def _task(instance: Instance, calls: Sequence[_Call], notes: Notes) -> ProgramTask:
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
