"""Profile of a project's benchmarks: callgrind for native code, cProfile for Python.

Each benchmark command has the same weight. Costs of libraries are attributed to the project's lines
and functions that call them, costs of protected files are named apart.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from maxcode.errors import ExecutorError
from maxcode.evaluation import HotFunction, HotLine, Profile
from maxcode.executors.profiles import function_table, hot_functions, hot_lines, line_table
from maxcode.executors.project.tools import names_python
from maxcode.executors.project.trees import PLACE, ProjectTrees, Run, Tree
from maxcode.lang.outline import definitions
from maxcode.measure.callgrind import Executed, Spot, parse
from maxcode.measure.symbols import (
    Attributed,
    Frame,
    Line,
    Own,
    attribute,
    own_files,
    short_name,
)
from maxcode.program import Program
from maxcode.tasks.project import FLAGS_FILE, ProjectTask
from maxcode.text import percent, plain

MAX_SECONDS = 60.0
"""Time limit of a profile. Not a multiple of the benchmark: a busy machine stretches both."""

ENDED_AFTER = 40.0
"""Seconds after which benchmarks are interrupted; the profile covers their runs until then."""

_MAX_LINES, _MAX_FUNCTIONS = 40, 12
_SHOWN = 12  # lines and functions of all commands together
_LEAST_SHOWN = 3  # of each
_MAX_COMMANDS = 6
_LEAST = 0.005  # the share from which a line or function is named
_REPORTS = 3  # of processes that a command starts, the largest first
_MAX_REPORT = 24 << 20
_FOLDER = "/tmp/maxcode-profile"  # noqa: S108 - inside the sandbox
_HEAD = b"# callgrind format\n"
_MANAGED = re.compile(r"\b(node|npm|npx|deno|bun|java|mvn|gradle|dotnet|ruby|php)\b")
_PYTHON = re.compile(r"\b(?:python[\d.]*(?= )|pytest(?= |$))")
_AS_JSON = """\
import json, pstats, sys
rows = []
for (file, line, name), (_, calls, own, total, callers) in pstats.Stats(sys.argv[1]).stats.items():
    by = [[*caller, row[2 if file == "~" else 3]] for caller, row in callers.items()]
    rows.append([file, line, name, calls, own, total, by])
json.dump(rows, open(sys.argv[2], "w"))
"""


@dataclass(frozen=True, slots=True)
class _Costs:
    """Costs of lines and functions of the project, out of ``total`` in ``unit``.

    ``protected`` are those of its protected files, by path.
    """

    lines: Mapping[Line, Attributed]
    functions: tuple[HotFunction, ...]
    total: float
    unit: str
    protected: Mapping[str, float]


def debuggable(program: Program) -> Program:
    """The program with line numbers in its executables, where it has compiler flags."""
    if FLAGS_FILE not in program.files:
        return program
    return program.with_file(FLAGS_FILE, f"{program.files[FLAGS_FILE].strip()} -g\n")


def profile(trees: ProjectTrees, tree: Tree, run: Run) -> Profile | None:
    """Profile of the benchmark commands in a tree, at most six of them.

    None if no profiler is installed, they take too long, or no report names the project's files.
    """
    commands = trees.task.commands.bench[:_MAX_COMMANDS]
    each = ENDED_AFTER / len(commands)
    found = [(one, _costs(trees, tree, one, run, each)) for one in commands]
    known = [(one, costs) for one, costs in found if costs and costs.lines]
    return _profile(known, tree.program) if known else None


def _costs(
    trees: ProjectTrees, tree: Tree, command: str, run: Run, seconds: float
) -> _Costs | None:
    """Costs of a benchmark command, interrupted after so many seconds."""
    try:
        if names_python(command):
            return _of_python(trees, tree, command, run, seconds)
        if shutil.which("valgrind", path="/usr/bin:/bin") and not _is_managed(trees.task, command):
            return _of_native(trees, tree, command, run, seconds)
    except (ExecutorError, ValueError, TypeError):  # of a report that makes no sense
        pass
    return None


def _is_managed(task: ProjectTask, command: str) -> bool:
    """Whether it runs a virtual machine, or Go, useless under callgrind."""
    return task.language == "go" or _MANAGED.search(command) is not None


def _interrupted(seconds: float) -> str:
    """Command prefix to interrupt a command after a while, with status 124."""
    return f"timeout --signal=INT {seconds:g}"


# -- native code -----------------------------------------------------------------------------------


def _of_native(
    trees: ProjectTrees, tree: Tree, command: str, run: Run, seconds: float
) -> _Costs | None:
    inner = command.replace("{out}", f"{_FOLDER}/report")
    script = (
        f"mkdir -p {_FOLDER} && {_interrupted(seconds)} valgrind -q --tool=callgrind "
        f"--trace-children=yes --vgdb=no "
        f"--compress-pos=no --dump-instr=yes --callgrind-out-file={_FOLDER}/cost.%p "
        f"/bin/sh -c {shlex.quote(inner)} >/dev/null || [ $? = 124 ] || exit; "
        f"for one in $(ls -S {_FOLDER}/cost.* | head -{_REPORTS}); do "
        f"head -c {_MAX_REPORT} $one; done > {{out}}"
    )
    ended = trees.run(tree, script, run)
    if not ended.completed.ok:
        return None
    reports = [_HEAD + part for part in ended.report.split(_HEAD)[1:]]
    found = [_attributed(parse(report), tree.program, trees.task) for report in reports[:_REPORTS]]
    costs = [one for one in found if one.lines]
    return max(costs, key=lambda one: sum(line.cost for line in one.lines.values()), default=None)


def _attributed(executed: Executed, program: Program, task: ProjectTask) -> _Costs:
    """Cost of each line of the program, including libraries it calls."""
    own_file, fixed_file = _finders(program, task)
    named = _by_name(program)
    origins: dict[Spot, tuple[Frame, ...]] = {}
    protected: dict[str, float] = defaultdict(float)
    for spot in executed.spots:
        name = short_name(spot.function.name)
        frame = named.get(name) or named.get(name.rpartition("::")[2])
        if spot.file == "???" and frame:
            origins[spot] = (frame,)
        elif fixed := fixed_file(spot.file):
            protected[fixed] += executed.costs.get(spot, 0)
    ours = {spot.function for spot in executed.spots if spot in origins or own_file(spot.file)}
    return _Costs(
        attribute(executed, origins, own_file),
        tuple(one for one in hot_functions(executed, ours) if one.own),
        float(executed.instructions),
        "instructions",
        protected,
    )


def _by_name(program: Program) -> dict[str, Frame]:
    """Places of uniquely named functions, for executables without line numbers."""
    found: dict[str, Frame | None] = {}
    for path, text in program.files.items():
        for one in definitions(path, text):
            known = one.short in found
            found[one.short] = None if known else Frame(one.short, path, one.first)
    return {name: place for name, place in found.items() if place}


def _finders(program: Program, task: ProjectTask) -> tuple[Own, Own]:
    """Functions to find files of the program, and those that may not be changed."""
    protected = (path for path, _ in task.listing if path not in program.files)
    return own_files(program.files, str(PLACE)), own_files(protected, str(PLACE))


# -- Python ----------------------------------------------------------------------------------------


def _of_python(
    trees: ProjectTrees, tree: Tree, command: str, run: Run, seconds: float
) -> _Costs | None:
    stats = f"{_FOLDER}/stats"
    watched = f"python -m cProfile -o {stats}"
    inner = _PYTHON.sub(
        lambda found: f"{watched} -m pytest" if found[0] == "pytest" else watched, command, count=1
    )
    if "--benchmark-only" in inner:  # each benchmark once, without its own clock and rounds
        inner = inner.replace("--benchmark-only", "--benchmark-disable")
        inner = re.sub(r"--benchmark-json[= ]\S+", "", inner)
    inner = inner.replace("{out}", f"{_FOLDER}/report")
    script = (
        f"mkdir -p {_FOLDER}; {_interrupted(seconds)} /bin/sh -c {shlex.quote(inner)} >/dev/null "
        f"|| [ $? = 124 ] || exit; python -c {shlex.quote(_AS_JSON)} {stats} {{out}}"
    )
    ended = trees.run(tree, script, run)
    if not ended.completed.ok:
        return None
    return _of_rows(json.loads(ended.report), tree.program, trees.task)


def _of_rows(rows: object, program: Program, task: ProjectTask) -> _Costs | None:
    """Seconds by function: its own, plus libraries it calls.

    Built-in functions count with their own time only: they call back, as ``sum`` does.
    """
    if not isinstance(rows, list):
        return None
    own_file, fixed_file = _finders(program, task)
    protected: dict[str, float] = defaultdict(float)
    lines: dict[Line, Attributed] = {}
    functions: dict[Line, tuple[int, float]] = {}

    def charge(path: str, line: object, function: object, library: str, cost: float) -> Line:
        place = path, int(str(line))
        lines.setdefault(place, Attributed(str(function))).parts[library] += cost
        return place

    for file, line, name, calls, own, total, by in rows:
        if path := own_file(str(file)):
            functions[charge(path, line, name, "", float(own))] = int(calls), float(total)
        elif fixed := fixed_file(str(file)):
            protected[fixed] += float(own)
        else:
            for caller_file, caller_line, caller, seconds in by:
                if path := own_file(str(caller_file)):
                    charge(path, caller_line, caller, plain(str(name)), float(seconds))
                elif fixed := fixed_file(str(caller_file)):
                    protected[fixed] += float(seconds)
    whole = sum(one.cost for one in lines.values()) + sum(protected.values())
    if whole <= 0:
        return None
    found = [
        HotFunction(
            plain(cost.function),
            cost.cost / whole,
            min(1.0, functions.get(place, (0, 0.0))[1] / whole),
            functions.get(place, (0, 0.0))[0],
            own=True,
        )
        for place, cost in lines.items()
    ]
    return _Costs(lines, tuple(found), whole, "s", protected)


# -- both ------------------------------------------------------------------------------------------


def _profile(found: Sequence[tuple[str, _Costs]], program: Program) -> Profile:
    every = [
        replace(one, share=one.share / len(found)) for _, costs in found for one in costs.functions
    ]
    native = [costs.total for _, costs in found if costs.unit == "instructions"]
    return Profile(
        "\n\n".join("\n".join(_text(*one, program, len(found))) for one in found),
        _lines([costs for _, costs in found], program, _MAX_LINES),
        instructions=int(sum(native)) or None,
        functions=_ranked(every, _MAX_FUNCTIONS),
    )


def _ranked(functions: Iterable[HotFunction], most: int) -> tuple[HotFunction, ...]:
    """The costliest functions."""
    ranked = sorted(functions, key=lambda one: (-one.share, one.name))
    return tuple(one for one in ranked[:most] if one.share >= _LEAST)


def _lines(found: Sequence[_Costs], program: Program, most: int) -> tuple[HotLine, ...]:
    """The costliest lines, by the mean of their shares."""
    merged: dict[Line, Attributed] = {}
    for costs in found:
        for line, cost in costs.lines.items():
            parts = merged.setdefault(line, Attributed(plain(cost.function))).parts
            for name, part in cost.parts.items():
                parts[name] += part / costs.total / len(found)
    ranked = hot_lines(merged, 1.0, program, most)
    return tuple(replace(one, code=plain(one.code)) for one in ranked)


def _text(command: str, costs: _Costs, program: Program, commands: int) -> Iterator[str]:
    """The short form of one command of several, for prompts and people."""
    native = costs.unit == "instructions"
    unit = f"{costs.total:.3g} instructions" if native else f"{costs.total:.3g} s in the project"
    yield f"{plain(command)[:200]}: {unit}; work of libraries counts for the calling line"
    most = max(_LEAST_SHOWN, _SHOWN // commands)
    for row in line_table(_lines([costs], program, most), named=True):
        yield plain(row).rstrip()
    for path, cost in sorted(costs.protected.items(), key=lambda item: -item[1])[:_LEAST_SHOWN]:
        if cost / costs.total >= _LEAST:
            yield f"{percent(cost / costs.total):>5}  {plain(path)}: protected, may not be changed"
    yield from function_table(_ranked(costs.functions, most))
