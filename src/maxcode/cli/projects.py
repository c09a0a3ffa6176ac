"""Tasks of projects: commands to build, test and benchmark them, found out and run once."""

from __future__ import annotations

import json
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from maxcode.cli.commands import Init
from maxcode.cli.console import (
    check_writable,
    figure_table,
    print_gaps,
    say,
    standard_error,
    standard_output,
    tell_waits,
)
from maxcode.cli.programs import seconds
from maxcode.errors import InputError, TaskError
from maxcode.evaluation import Baseline, Measurement
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.executors.project.tools import names_python
from maxcode.files import write_text
from maxcode.measure.statistics import LONG_ENOUGH, noise
from maxcode.search.summary import too_small
from maxcode.tasks.kinds import Kind, kind_of
from maxcode.tasks.project import FLAGS_FILE, ProjectTask, load_project_folder
from maxcode.text import counted, duration

_MODULES = {"pytest-benchmark": "pytest_benchmark", "pyperf": "pyperf", "asv": "asv"}
_NOISY = 0.05  # how much samples in a row may typically differ before it is hard to learn from


def init_project(request: Init) -> int:
    """Find out how a project is judged, try it, and write its task.toml; gives the exit code."""
    folder = _folder(request)
    path = folder / "task.toml"
    if path.exists():
        raise InputError(f"{path} exists already; change it, or remove it first")
    if request.out is not None:
        raise InputError(
            f"--out goes with a C++ program and its --inputs, and {folder} is a project's folder"
        )
    if request.timeout is not None:
        seconds(request.timeout)
    check_writable(path.absolute())
    text = _as_toml(_asked(kind_of(folder), request), request.name or folder.resolve().name)
    write_text(path, text)
    kept = False
    try:
        task = load_project_folder(folder)
        say(f"setting up, building and testing {folder}, and measuring it twice")
        with ProjectExecutor() as executor:
            tell_waits(executor)
            baseline = executor.prepare(task)
            tests, measured = executor.tests(task), executor.measures_sources(task)
        kept = True
    except TaskError as error:
        raise TaskError(
            f"{error}\nwhat was tried, to be corrected by options, or written to {path} "
            f"and corrected there:\n{text}"
        ) from error
    finally:
        if not kept:
            path.unlink()
    _print(task, baseline, tests, text)
    print_gaps(standard_error(), baseline.gaps)
    if baseline.floor is not None and (doubt := too_small(baseline)):
        say(f"note: {doubt[0]}")
    if not measured:
        say(
            "warning: the benchmark runs as before when every file that may be changed is "
            "nonsense, so it measures something else, such as an installed copy; set PYTHONPATH in "
            f"[sandbox.environment] of {path}, build what it runs, or change editable"
        )
    standard_output().print(
        f"made {path}; next: maxcode optimize {shlex.quote(str(folder))}", soft_wrap=True
    )
    return 0


def _folder(request: Init) -> Path:
    [first, *others] = request.sources or ["."]
    if others:
        raise InputError(f"{first} is a folder, and a project is one folder: leave out {others[0]}")
    return Path(first)


def _asked(kind: Kind, request: Init) -> Kind:
    """The kind of a project, with the user's options in place of its own."""
    given = {
        "bench": tuple(request.command or ()),
        "format": "process" if request.command else "",
        "outputs": tuple(request.outputs or ()),
        "setup": request.setup,
        "build": request.build,
        "test": request.test,
        "editable": tuple(request.editable or ()),
        "check": request.check,
        "meter": request.meter,
        "flags": request.flags,
        "timeout": request.timeout,
    }
    kind = kind.replaced(
        {key: value for key, value in given.items() if value not in (None, (), "")}
    )
    emptied = {key: "" for key in ("setup", "build", "test") if getattr(request, key) == ""}
    kind = kind.replaced(emptied)
    if not kind.bench:
        raise InputError(_no_benchmark(kind, _folder(request)))
    if not kind.editable:
        raise InputError(
            f"no sources were found in {_folder(request)}; say what may be changed: "
            "--editable 'src/**'"
        )
    _check_tool(kind)
    return kind


def _no_benchmark(kind: Kind, folder: Path) -> str:
    """The error for a project without a benchmark."""
    program = "target/release/NAME" if "cargo" in kind.build else "./program"
    by_command = (
        f"a command that takes long enough, run in that folder: --command '{program} data.txt'"
    )
    if kind.wanted:
        return f"no benchmark was found in {folder}; add {kind.wanted}, or name {by_command}"
    return (
        f"no benchmark was found in {folder}; name {by_command}; a C++ program that reads "
        "standard input becomes a task by: --inputs 'inputs/*.txt' --out mytask/"
    )


def _check_tool(kind: Kind) -> None:
    """Raise :class:`InputError` for a missing Python tool of the benchmark."""
    module = _MODULES.get(kind.format)
    if module and names_python(" ".join(kind.bench)) and find_spec(module) is None:
        raise InputError(
            f"the benchmark needs {kind.format}, and commands that name Python get the one that "
            "runs maxcode, which does not have it: "
            f"{shlex.quote(sys.executable)} -m pip install {kind.format}; what the project itself "
            "imports has to be installed there, too"
        )


def _as_toml(kind: Kind, name: str) -> str:
    """The task's file. JSON's strings and lists are TOML's, once DEL is escaped."""
    bench: object = list(kind.bench) if len(kind.bench) > 1 else kind.bench[0]
    tables: dict[str, dict[str, object]] = {
        "": {"kind": "project", "name": name, "editable": list(kind.editable)},
        "commands": {
            **{key: value for key in ("setup", "build", "test") if (value := getattr(kind, key))},
            "bench": bench,
            **({"flags": kind.flags} if kind.compiled or kind.flags else {}),
        },
        "bench": {
            **({"format": kind.format} if kind.format != "process" else {}),
            **({"outputs": list(kind.outputs)} if kind.outputs else {}),
            **({"check": kind.check} if kind.check != "exact" else {}),
            **({"meter": kind.meter} if kind.meter != "cpu" else {}),
            **({"writable": True} if kind.writable else {}),
        },
        "limits": {**({"bench": kind.timeout} if kind.timeout else {})},
        "sandbox": {
            **({"read": list(kind.read)} if kind.read else {}),
        },
        "sandbox.environment": dict(kind.environment),
    }
    blocks = []
    for title, table in tables.items():
        if table:
            lines = [f"[{title}]"] if title else []
            for key, value in table.items():
                written = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
                lines.append(f"{key} = {written}")
            blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _print(task: ProjectTask, baseline: Baseline, tests: frozenset[str], text: str) -> None:
    """Print measurements, with remarks on their noise, and the tests."""
    console = standard_output()
    console.print(text)
    table = figure_table("benchmark", "time", "noise", "")
    for one in _each(baseline):
        spread = noise(one.samples) if min(one.samples) > 0 else 0.0
        table.add_row(one.meter, _value(one), f"{100 * spread:.1f} %", _remark(task, one, spread))
    console.print(table)
    if not task.commands.test:
        ran = "no test command was found, so outputs alone are compared; name one with --test"
    elif tests:
        ran = f"{counted(len(tests), 'test')} passed, and none of them may vanish"
    else:
        ran = "the tests passed; which they are cannot be read, so their exit status decides"
    console.print(f"\n{task.name}: {ran}")
    flags = ", and the compiler's flags" if FLAGS_FILE in task.baseline.files else ""
    console.print(f"may be changed: {counted(len(task.sources), 'file')}{flags}")
    if task.no_texts:
        console.print(f"no texts, so they stay as they are: {', '.join(task.no_texts)}")


def _each(baseline: Baseline) -> tuple[Measurement, ...]:
    """The measurements of single benchmarks; for a single benchmark that of the whole."""
    whole, *each, _ = baseline.measurements
    return tuple(each) or (whole,)


def _value(one: Measurement) -> str:
    return duration(one.median) if one.unit == "s" else f"{one.median:.4g}"


def _remark(task: ProjectTask, one: Measurement, spread: float) -> str:
    if task.benchmark.format == "process" and one.median < LONG_ENOUGH:
        return "short: much of it is the start of the process"
    return "noisy: small gains cannot be told from chance" if spread > _NOISY else ""
