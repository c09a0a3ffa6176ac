"""Functions of Python: tasks of a function and its cases, run by a driver that stays fixed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from maxcode.errors import InputError, TaskError
from maxcode.executors.program.recording import Report, record_task
from maxcode.files import read_bytes, read_source
from maxcode.lang.outline import definitions
from maxcode.sandbox.base import Limits
from maxcode.sandbox.process import ProcessSandbox
from maxcode.system import ScratchFolder
from maxcode.tasks.program import Judging, ProgramTask
from maxcode.text import counted

_TESTS = 6  # that the cases are dealt out to
PLAIN = '''def plain(value):
    """Sets as sorted lists, other values as they are in JSON."""
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    return repr(value)
'''
"""Source of a function of drivers: values that JSON lacks, as values that it has."""

_DRIVER = '''"""Call {name} for each line of standard input, and print the results, both in JSON."""

import json
import sys

import {module}


{plain}

calls = [json.loads(line) for line in sys.stdin]
results = [{call}(*call["args"], **call["kwargs"]) for call in calls]
print("\\n".join(json.dumps(result, default=plain) for result in results))
'''


_LIMITS = Limits(600.0, memory=8 << 30, files=4096)
_PLUGIN = '''"""Plugin of pytest: the arguments of a function's calls, to a file of JSON lines."""

import functools
import importlib
import json

MODULE, OWNER, NAME, METHOD, OUT = {settings!r}


def pytest_configure(config):
    owner = functools.reduce(getattr, OWNER, importlib.import_module(MODULE))
    function, out = getattr(owner, NAME), open(OUT, "w")

    @functools.wraps(function)
    def recorded(*args, **kwargs):
        try:
            line = json.dumps({{"args": args[METHOD:], "kwargs": kwargs}})
        except (TypeError, ValueError, RecursionError):
            line = ""  # an argument that JSON lacks
        setattr(owner, NAME, function)  # calls from within are the function's own business
        try:
            result = function(*args, **kwargs)
        finally:
            setattr(owner, NAME, recorded)
        if out.tell() < 16 << 20:
            print(line, file=out, flush=True)
        return result

    setattr(owner, NAME, recorded)
'''


class _Case(BaseModel):
    model_config = ConfigDict(extra="forbid")

    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    expected: Any = None

    @property
    def line(self) -> str:
        """The input of its call."""
        return json.dumps({"args": self.args, "kwargs": self.kwargs})


def _of_arguments(given: Any) -> Any:
    return {"args": given} if isinstance(given, list) else given


_CASES = TypeAdapter(list[Annotated[_Case, BeforeValidator(_of_arguments)]])


def record_function(
    source: Path,
    function: str,
    cases: Sequence[Path],
    *,
    files: Sequence[Path] = (),
    judging: Judging | None = None,
    report: Report | None = None,
    warn: Callable[[str], None] | None = None,
) -> ProgramTask:
    """Make a task from a function of a Python file and calls it should become faster on.

    ``function`` is its name, or ``Class.method`` of a class made without arguments. ``cases`` are
    JSON files, each with a list of calls: a list of arguments, or an object with ``args``,
    ``kwargs`` and ``expected``; or files of tests, whose calls are recorded while pytest runs them.
    ``files`` are modules beside the file or below. Results are recorded from the function, and
    compared as JSON. Raises :class:`~maxcode.errors.InputError` for
    an unknown function and for other files, :class:`~maxcode.errors.TaskError` if the function
    fails or does not return what is expected.
    """
    known = [one.name for one in definitions(source.name, read_source(source))]
    if function not in known:
        some = ", ".join(known[:8]) or "none"
        raise InputError(f"{source} has no function {function}; its functions: {some}")
    if not source.stem.isidentifier():
        raise InputError(f"{source} cannot be imported: its name is no module's")
    calls = [case for path in cases for case in _read(path, source, function)]
    if not calls:
        raise InputError(f"{source}: there are no cases; without them nothing can be checked")
    owner, _, method = function.rpartition(".")
    call = f"{source.stem}.{owner}().{method}" if owner else f"{source.stem}.{function}"
    with ScratchFolder("maxcode-function-") as folder:
        driver = folder / "main.py"
        driver.write_text(_DRIVER.format(name=function, module=source.stem, call=call, plain=PLAIN))
        count = min(_TESTS, len(calls))
        inputs = []
        for number in range(count):
            inputs.append(folder / f"{number}.jsonl")
            lines = [case.line + "\n" for case in calls[number::count]]
            inputs[-1].write_text("".join(lines))
        modules = [folder / path.relative_to(source.parent) for path in (source, *files)]
        for module, path in zip(modules, (source, *files), strict=True):
            module.parent.mkdir(exist_ok=True, parents=True)
            module.write_bytes(path.read_bytes())
        task = record_task(
            driver,
            inputs,
            files=modules,
            name=f"{source.stem}.{function}",
            statement=f"Make the function {function} in {source.name} faster; main.py calls it.",
            judging=judging,
            report=report,
            warn=warn,
        )
    _check(task, calls, function)
    return replace(task, editable=(source.name,))


def _read(path: Path, source: Path, function: str) -> list[_Case]:
    if path.suffix == ".py":
        return _CASES.validate_python(_calls_in_tests(source, function, path))
    try:
        return _CASES.validate_json(read_bytes(path))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = "".join(f"[{part}]" for part in problem["loc"])
        raise InputError(
            f"{path}: cases{place}: {problem['msg']}; a file of cases is a JSON list with the "
            'arguments of each call, as [[1, 2], [3, 4]], or {"args": [1, 2], "expected": 3}'
        ) from error


def _calls_in_tests(source: Path, function: str, tests: Path) -> list[dict[str, object]]:
    """The arguments of a function's calls while pytest runs its tests, each call once.

    Calls that raise, and calls from within the function itself, are left out.
    """
    *owner, name = function.split(".")
    source, tests = source.resolve(), tests.resolve()
    with ScratchFolder("maxcode-calls-") as folder:
        out = folder / "calls.jsonl"
        settings = (source.stem, owner, name, bool(owner), str(out))
        (folder / "maxcode_calls.py").write_text(_PLUGIN.format(settings=settings))
        command = (
            "/usr/bin/env",
            f"--chdir={tests.parent}",
            f"PYTHONPATH={folder}:{source.parent}",
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-p", "maxcode_calls", str(tests)),
        )
        run = ProcessSandbox().run(command, _LIMITS)
        lines = dict.fromkeys(out.read_text("utf-8").splitlines() if out.exists() else [])
    if not run.ok:
        said = (run.stdout + run.stderr).decode(errors="replace").strip()[-2000:]
        raise TaskError(f"the tests in {tests} {run.cause}:\n{said}")
    calls: list[dict[str, object]] = [json.loads(line) for line in lines if line]
    if not calls:
        seen = counted(len(lines), "call") + " with arguments that JSON lacks" if lines else "none"
        raise TaskError(f"{tests}: no call of {function} could be recorded ({seen})")
    return calls


def _check(task: ProgramTask, calls: Sequence[_Case], function: str) -> None:
    """Raise TaskError for a result other than expected."""
    results = {
        line: json.loads(result)
        for test in task.tests
        for line, result in zip(
            test.input.decode().splitlines(), test.expected.decode().splitlines(), strict=True
        )
    }
    for case in calls:
        if case.expected is not None and results[case.line] != case.expected:
            raise TaskError(
                f"{function} returns {json.dumps(results[case.line])[:200]} for {case.line[:200]}, "
                f"where {json.dumps(case.expected)[:200]} is expected"
            )
