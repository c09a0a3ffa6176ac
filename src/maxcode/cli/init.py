"""The command `init`: tasks of programs, kernels and projects, whose commands are found out."""

from __future__ import annotations

import re
import shlex
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from maxcode.cli.commands import RECORDING, Init, TaskArgs
from maxcode.cli.console import (
    check_writable,
    figure_table,
    print_gaps,
    say,
    standard_error,
    standard_output,
    waiting,
)
from maxcode.cli.tasks import (
    TASK_FILE,
    Source,
    is_reference,
    judging_of,
    matching,
    named_language,
)
from maxcode.errors import InputError, TaskError
from maxcode.evaluation import Baseline, Profile
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.executors.project.tools import names_python
from maxcode.executors.project.trees import FailingProjectError
from maxcode.files import write_text
from maxcode.measure.statistics import noise
from maxcode.readers.formats import PROCESS, check_format
from maxcode.sandbox.base import Completed
from maxcode.search.summary import too_small
from maxcode.system import ScratchFolder
from maxcode.tasks.checkers import is_binary
from maxcode.tasks.folder import load_task, save_reference
from maxcode.tasks.kinds import kinds_of
from maxcode.tasks.kinds.base import Bench, Kind
from maxcode.tasks.kinds.native import built_benches
from maxcode.tasks.program import ProgramTask, save_task
from maxcode.tasks.project import FLAGS_FILE, ProjectTask, load_project_folder
from maxcode.tasks.project_files import Snapshot, matches
from maxcode.tasks.toml import as_toml
from maxcode.text import counted, cut, duration, percent, quantity, size

_MODULES = {"pytest-benchmark": "pytest_benchmark", "pyperf": "pyperf", "asv": "asv"}
_IMPORTED = "<module>"  # the function of code that runs when a module of Python is imported
_LEAST_SPENT = 0.1  # share of the time in editable files, below which a benchmark is refused
_NONE = Bench("", ("true",))
_NAMED = 5  # files that a line names
_NATIVE = (".c", ".cc", ".cpp", ".pyx", ".rs")
_GENERATED = (".py", ".c", ".h", ".rs", ".go", ".js", "Cargo.lock", "package-lock.json", "go.sum")


def init(request: Init) -> int:
    """Record the task, save it and print its measurements; gives the exit code."""
    first, *others = request.sources or ["."]
    path = Path(first)
    if path.is_dir() and not request.inputs:
        return _init_project(request, path, others)
    if not request.language and is_reference(path):
        return _init_kernel(request, path, others)
    if request.command:
        raise InputError(f"--command goes with a project, and --inputs with a program: {first}")
    given = {name: value for name in RECORDING if (value := getattr(request, name)) is not None}
    judging = judging_of(TaskArgs(task=first, **given), request.meter or "cpu")
    source = Source.of([first, *others], named_language(request.language))
    out = _new_folder(request, first)
    seen: list[tuple[str, Completed]] = []
    gaps: list[str] = []
    task = source.record(
        matching(request.inputs or ()),
        judging,
        path.absolute().name if path.is_dir() else None,
        report=lambda name, run: seen.append((Path(name).name if source.function else name, run)),
        warn=gaps.append,
    )
    save_task(task, out)
    _print_recorded(task, seen)
    _print_next(out, out)
    print_gaps(standard_error(), gaps)
    return 0


def _new_folder(request: Init, source: str) -> Path:
    """The folder to make. Raises :class:`InputError` for none, and for an existing path."""
    if request.out is None:
        raise InputError(f"say where the task of {source} shall be: --out mytask/")
    out = Path(request.out)
    if out.exists():
        raise InputError(f"{out} exists already; give another --out, or remove it first")
    check_writable(out.absolute())
    return out


def _init_kernel(request: Init, path: Path, others: Sequence[str]) -> int:
    """Make a task folder of a reference; gives the exit code."""
    if request.inputs or request.command or others:
        raise InputError(
            f"a kernel's reference becomes a task alone: maxcode init {path} --out mytask/"
        )
    out = _new_folder(request, str(path))
    task = save_reference(out, path, small=request.small)
    standard_output().print(
        f"{task.name}: a kernel; dtype, variants, tolerance and mode go into its task.toml",
        soft_wrap=True,
    )
    _print_next(out, out)
    return 0


def _print_next(made: Path, task: Path) -> None:
    command = f"maxcode optimize {shlex.quote(str(task))}"
    standard_output().print(f"made {made}; next: {command}", soft_wrap=True)


def _print_recorded(task: ProgramTask, seen: list[tuple[str, Completed]]) -> None:
    console = standard_output()
    rows = [
        (name, duration(run.wall), size(run.peak_memory), size(len(run.stdout)))
        for name, run in seen
    ]
    if len(seen) > 1:
        rows.append(("total", duration(sum(run.wall for _, run in seen)), "", ""))
    console.print(figure_table(("input", "time", "memory", "output"), rows))
    tests = counted(len(task.tests), "test")
    console.print(f"\n{task.name}: {tests}, every output the same twice; time is of the slower run")
    if len(task.baseline.files) > 1:
        console.print(f"its files: {', '.join(task.baseline.files)}", soft_wrap=True)
    if any(is_binary(test.expected) for test in task.tests):
        console.print("some of what it prints is binary, and is compared byte by byte")


def _init_project(request: Init, folder: Path, others: Sequence[str]) -> int:
    """Find out how a project is judged, try it, and write its task.toml; gives the exit code."""
    path = folder / TASK_FILE
    if others:
        raise InputError(f"{folder} is a folder, a project is one folder: leave out {others[0]}")
    if path.exists():
        raise InputError(
            f"{path} exists already; change it and check it: maxcode doctor {folder}, or remove it"
        )
    if request.out is not None:
        raise InputError(f"--out goes with a program and its --inputs, and {folder} is a project")
    check_format(request.format or PROCESS)
    check_writable(path.absolute())
    include = tuple(_brought(folder))
    kinds = [_asked(kind, request) for kind in kinds_of(folder, include)]
    with ProjectExecutor() as executor:
        executor.on_wait(waiting)
        found = _Trying(request, folder, include, executor).first(dict.fromkeys(kinds))
        write_text(path, found.text)
        _print(found)
    _print_next(path, folder)
    return 0


def check_project(folder: Path) -> int:
    """Try the task.toml of a project as it is, and print what is measured; gives the exit code."""
    task = load_task(folder)
    if not isinstance(task, ProjectTask):
        raise InputError(
            f"doctor tries tasks of projects, and {folder} is of another kind: its program is "
            f"checked at the start of maxcode optimize {folder}"
        )
    with ProjectExecutor() as executor:
        executor.on_wait(waiting)
        say(f"setting up, building and testing {folder}, and measuring it twice")
        _print(_tried(executor, task, ""))
    return 0


@dataclass(frozen=True)
class _Tried:
    """A task that works, its measurements, and what its benchmark runs.

    ``doubts`` are reasons why it may measure something else than the editable files.
    """

    task: ProjectTask
    text: str
    baseline: Baseline
    tests: frozenset[str]
    profile: Profile | None
    doubts: tuple[str, ...]


def _tried(executor: ProjectExecutor, task: ProjectTask, text: str) -> _Tried:
    """Set up, build, test, measure and profile. Raises :class:`TaskError`."""
    baseline = executor.prepare(task)
    doubts = []
    if not executor.measures_sources(task):
        doubts.append(
            "the benchmark runs as before when every file that may be changed is nonsense, so it "
            "measures something else, such as an installed copy: set PYTHONPATH in task.toml"
        )
    profile = executor.profile(task, task.baseline)
    spent = sum(share for _, share in _files_by_share(profile))
    native = any(one.endswith(_NATIVE) for one in task.sources)  # no profile of Python sees it
    whole = task.language == "python" and not native and task.benchmark.format == PROCESS
    if profile and whole and spent < _LEAST_SPENT:
        doubts.append(
            f"the files that may be changed take {percent(spent)} of its time beside imports, so "
            "little can be gained"
        )
    return _Tried(task, text, baseline, executor.tests(task), profile, tuple(doubts))


class _Trying:
    """Tries kinds of a project and their benchmarks, until one works."""

    def __init__(
        self, request: Init, folder: Path, include: tuple[str, ...], executor: ProjectExecutor
    ) -> None:
        self._request = request
        self._folder = folder
        self._include = include
        self._executor = executor
        self._refused: dict[str, tuple[TaskError, str]] = {}  # by the line on each
        self._text = ""

    def first(self, kinds: Iterable[Kind]) -> _Tried:
        """The first that works. Raises :class:`TaskError` with what was tried, InputError."""
        kind = Kind()
        for kind in kinds:
            if found := self._of_kind(kind):
                for line in self._refused:
                    say(line)
                return found
        if not self._refused:
            add = f"add {kind.wanted}, or " if kind.wanted else ""
            raise InputError(
                f"no benchmark was found in {self._folder}; {add}name a command that takes long "
                "enough, run in that folder: --command './program data.txt'"
            )
        error, text = next(iter(self._refused.values()))
        tried = "".join(f"\n{line}" for line in [*self._refused][1:])
        if text:
            tried += (
                "\nwhat was tried, to be corrected by options, or written to "
                f"{self._folder / TASK_FILE} and corrected there:\n{text}"
            )
        raise TaskError(f"{error}{tried}") from error

    def _of_kind(self, kind: Kind) -> _Tried | None:
        looked_for = kind.compiled and bool(kind.build) and not self._request.command
        if not (kind.benches or (looked_for and kind.editable)):
            return None
        problem = "" if self._request.command else kind.problem
        if not kind.editable:
            problem = "no sources were found; say what may be changed: --editable 'src/**'"
        if problem:
            self._refuse("this project", TaskError(f"{self._folder}: {problem}"))
            return None
        say(f"setting up, building and testing {self._folder}")
        try:
            kind, tree = self._built(kind)
        except TaskError as error:
            self._refuse("its build and tests", error)
            return None
        unfit = ""
        for bench in (*kind.benches, *(built_benches(tree) if looked_for else ())):
            if bench.source == unfit or self._request.format not in (None, bench.format):
                continue
            try:
                found = self._of_bench(kind, bench)
            except TaskError as error:
                self._refuse(bench.source, error)
                if bench.format == PROCESS and isinstance(error, FailingProjectError):
                    unfit = bench.source  # it fails, however it is read
                continue
            if not found.doubts or self._request.command:
                return found
            self._refuse(bench.source, TaskError("; ".join(found.doubts)))
            unfit = bench.source
        return None

    def _refuse(self, name: str, error: TaskError) -> None:
        """Keep an error and the text of its task; two kinds of project may share a step."""
        self._refused.setdefault(f"not {name}: {_brief(error)}", (error, self._text))

    def _built(self, kind: Kind) -> tuple[Kind, Path]:
        """The folder of its build; if tests fail as it is, the kind with the others alone."""
        try:
            return kind, self._executor.tested(self._task(kind, _NONE))
        except FailingProjectError as error:
            if error.stage != "test" or self._request.test is not None:
                raise
            say(f"some tests fail in the project as it is: {_brief(error)}; trying the others")
            for other in _lenient(kind):
                with suppress(FailingProjectError):
                    task = self._task(other, _NONE)
                    tree = self._executor.tested(task)
                    if self._executor.tests(task):
                        return other, tree
            raise

    def _of_bench(self, kind: Kind, bench: Bench) -> _Tried:
        module = _MODULES.get(bench.format)
        if module and names_python(" ".join(bench.commands)) and find_spec(module) is None:
            pip = f"{shlex.quote(sys.executable)} -m pip install {bench.format}"
            raise TaskError(f"the benchmark needs {bench.format} in the Python of maxcode: {pip}")
        say(f"measuring {bench.source} twice")
        return _tried(self._executor, self._task(kind, bench), self._text)

    def _task(self, kind: Kind, bench: Bench) -> ProjectTask:
        """The task of a text; no file of the project has it until it is known to work."""
        name = self._folder.resolve().name
        self._text = _as_toml(kind, bench, self._request, name, self._include)
        with ScratchFolder("maxcode-init-") as scratch:
            file = scratch / "task.toml"
            write_text(file, self._text)
            try:
                return load_project_folder(self._folder, file)
            except TaskError as error:
                raise TaskError(str(error).replace(str(scratch), str(self._folder))) from error


def _lenient(kind: Kind) -> Iterator[Kind]:
    """The kind without options of pytest that the project sets, which may name missing plug-ins;
    then with a test command of which only the passing tests count, not the exit status."""
    test = kind.test
    if "pytest" in test:
        yield replace(kind, test=f"{test} -o addopts=")
        test += " -o addopts= --continue-on-collection-errors"
    yield replace(kind, test=f"({test}) || :")


def _brief(error: TaskError) -> str:
    """The first line of an error, and the last where a tool says why."""
    first, *rest = [line.strip() for line in str(error).splitlines() if line.strip()]
    why = [line for line in rest if re.search(r"error|no module", line, re.IGNORECASE)]
    return f"{first} ({cut(why[-1], 200)})" if why else first


def _brought(folder: Path) -> Iterator[str]:
    """Patterns of what a build probably needs: submodules, generated sources, locked versions."""
    for path in Snapshot.of(folder).left_out:
        if path.endswith("/") and (folder / path / ".git").exists():
            yield f"{path}**"
        elif path.endswith(_GENERATED) and "/." not in f"/{path}":
            yield path


def _asked(kind: Kind, request: Init) -> Kind:
    """The kind of a project, with the user's options in place of its own."""
    given: dict[str, Any] = {key: getattr(request, key) for key in ("setup", "build", "test")}
    if request.editable:
        given["editable"] = tuple(request.editable)
    if request.command:
        commands = tuple(request.command)
        given["benches"] = (Bench(", ".join(commands), commands, request.format or PROCESS),)
    return replace(kind, **{key: value for key, value in given.items() if value is not None})


def _as_toml(kind: Kind, bench: Bench, request: Init, name: str, include: Sequence[str]) -> str:
    """The task's file."""
    fixed = [f"!{path}" for path in include if matches(kind.editable, path)]
    tables: dict[str, dict[str, object]] = {
        "": {
            "kind": "project",
            "name": name,
            "editable": [*kind.editable, *fixed],
            "include": list(include) or None,
        },
        "commands": {
            "setup": " && ".join(filter(None, (kind.setup, bench.setup))) or None,
            "build": kind.build or None,
            "test": kind.test or None,
            "bench": list(bench.commands) if len(bench.commands) > 1 else bench.commands[0],
            "flags": request.flags or ("" if kind.compiled else None),
        },
        "bench": {
            "format": bench.format if bench.format != PROCESS else None,
            "outputs": request.outputs or None,
            "check": request.check or None,
            "meter": request.meter or None,
            "writable": bench.writable or None,
        },
        "limits": {"bench": request.timeout or None},
        "sandbox": {"read": list(kind.read) or None},
        "sandbox.environment": {**dict(kind.environment), **dict(bench.environment)},
    }
    return as_toml(tables)


def _print(found: _Tried) -> None:
    """Print measurements, with remarks on their noise, what they run, and the tests."""
    task, console = found.task, standard_output()
    if found.text:
        console.print(found.text)
    whole, *each, _ = found.baseline.measurements
    rows = []
    for one in each or [whole]:
        spread = noise(one.samples) if min(one.samples) > 0 else 0.0
        rows.append((one.meter, quantity(one.median, one.unit), f"{100 * spread:.1f} %"))
    console.print(figure_table(("benchmark", "time", "noise"), rows))
    if files := _files_by_share(found.profile):
        shares = (f"{path} {percent(share)}" for path, share in files[:_NAMED])
        console.print(f"\nthe time is spent in: {', '.join(shares)}")
    if not task.commands.test:
        ran = "no test command was found, so outputs alone are compared; name one with --test"
    elif found.tests:
        ran = f"{counted(len(found.tests), 'test')} passed, and none of them may vanish"
        if task.commands.test.endswith("|| :"):
            ran += "; tests that fail in the project as it is do not count"
    else:
        ran = "the tests passed; which they are cannot be read, so their exit status decides"
    console.print(f"\n{task.name}: {ran}")
    flags = ", and the compiler's flags" if FLAGS_FILE in task.baseline.files else ""
    console.print(f"may be changed: {counted(len(task.sources), 'file')}{flags}")
    if task.no_texts:
        console.print(f"no texts, so they stay as they are: {', '.join(task.no_texts)}")
    print_gaps(standard_error(), found.baseline.gaps)
    if found.baseline.floor is not None and (doubt := too_small(found.baseline)):
        say(f"note: {doubt[0]}")
    for reason in found.doubts:
        say(f"warning: {reason}")


def _files_by_share(profile: Profile | None) -> list[tuple[str, float]]:
    """The editable files by their share of the time, without imports, the largest first."""
    shares: dict[str, float] = defaultdict(float)
    for line in profile.lines if profile else ():
        if line.function != _IMPORTED:
            shares[line.path] += line.share
    return sorted(shares.items(), key=lambda one: -one[1])
