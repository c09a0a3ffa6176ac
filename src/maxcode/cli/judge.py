"""The command `judge`: existing programs without a search, and audits of kernel tasks."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue, TypeAdapter
from rich.console import Console
from rich.text import Text

from maxcode.cli.commands import Judge
from maxcode.cli.console import (
    check_writable,
    facts,
    plain_table,
    print_document,
    print_gaps,
    results,
    say,
    standard_error,
    tell_waits,
    titled,
)
from maxcode.cli.lookup import check_there
from maxcode.cli.plugins import make_executor
from maxcode.cli.tasks import TASK_FILE, load_source, sandbox_named, source_of
from maxcode.cli.verdicts import ALLOWED, Expectation
from maxcode.cli.verify import patched
from maxcode.errors import ExecutorError, InputError, TaskError, ToolError
from maxcode.evaluation import Evaluation, Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.kernelbench import Verdict, in_mode, reason, unjudged
from maxcode.executors.kernel.machine import this_interpreter
from maxcode.executors.project.change import is_patch, program_of_patch
from maxcode.files import read_source, read_text
from maxcode.generators.pool import PoolGenerator, with_own_file
from maxcode.interfaces import Executor
from maxcode.program import Program
from maxcode.report.listing import Document
from maxcode.sandbox.base import Sandbox
from maxcode.system import ScratchFolder
from maxcode.task import Task
from maxcode.tasks import KernelTask, ProjectTask, load_kernelbench, load_task
from maxcode.tasks.kernel import MODES
from maxcode.tasks.kernelbench import EvalResult, KernelName, read_kernels, write_eval_results
from maxcode.text import counted, duration, interval, one_line

_BOTH = "both"
_THEIRS = "kernelbench"
_EXPLAINED = (Status.BUILD_ERROR, Status.WRONG_ANSWER)  # of which the table has a line alone
_STYLES = {Status.OK: "green", Status.INFRASTRUCTURE: "magenta"}


@dataclass
class _Case:
    """A program to judge, and its verdict in each mode."""

    name: str
    program: Program
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True)
class _Group:
    """A task and the programs to judge against it."""

    task: Task
    cases: Sequence[_Case]
    gaps: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Gaps in the checks, by mode."""
    references: list[str] = field(default_factory=list)
    """Of kernels: time and allowances of the reference, in each mode."""

    @property
    def all_gaps(self) -> list[str]:
        """Gaps of all modes, each once."""
        return list(dict.fromkeys(gap for gaps in self.gaps.values() for gap in gaps))


def judge(request: Judge) -> int:
    """Judge the programs, or audit the tasks, and print a table; gives the exit code."""
    if request.audit:
        return _audit(request)
    if not request.programs:
        raise InputError(
            f"name programs to judge: maxcode judge {request.task} PROGRAM..., or --audit to see "
            "whether the task can be passed without computing"
        )
    paths = [Path(name) for name in request.programs]
    for path in paths:
        check_there(path)
    groups = (
        _problems(request, request.level, paths) if request.level else [_candidates(request, paths)]
    )
    modes = _modes(request.mode, groups)
    cases = [case for group in groups for case in group.cases]
    kernels = _named(cases, modes) if request.eval_results else {}
    if request.eval_results:
        check_writable(Path(request.eval_results).absolute())
    sandbox = sandbox_named(request.sandbox)

    def save() -> None:
        if request.eval_results:
            write_eval_results(request.eval_results, _results(kernels))

    def report(cases: Sequence[_Case]) -> None:
        _print(results(request.json), cases, modes, groups)
        if request.json:
            print_document(_document(groups, isolated=sandbox.isolated))

    try:
        for group in groups:
            say(f"{group.task.name}: {counted(len(group.cases), 'program')}")
            _judge(group, modes, sandbox, alone=len(groups) == len(modes) == 1)
            save()  # what is done is not lost if the next one is killed
    except KeyboardInterrupt:
        finished = [case for case in cases if case.evaluations]
        say(f"interrupted: judged {len(finished)} of {len(cases)}")
        if not finished:
            raise
        save()
        report(finished)
        return 128 + signal.SIGINT
    report(cases)
    judged = (one.status for case in cases for one in case.evaluations.values())
    return 1 if Status.INFRASTRUCTURE in judged else 0


def _results(kernels: Mapping[KernelName, _Case]) -> dict[tuple[int, int], EvalResult]:
    """KernelBench's verdicts on programs judged so far."""
    verdicts = {name: case.evaluations.get(_THEIRS) for name, case in kernels.items()}
    return {
        (name.problem, name.sample): Verdict.of(one).result
        for name, one in verdicts.items()
        if one and one.status is not Status.INFRASTRUCTURE
    }


def _candidates(request: Judge, paths: Sequence[Path]) -> _Group:
    """All programs, for a single task."""
    task = load_source(source_of(request, small=request.small))
    cases = []
    for path in paths:
        if path.is_dir():
            found = PoolGenerator(path).candidates(task)
            if not found:
                suffix = Path(task.baseline.entry).suffix
                raise InputError(
                    f"{path} holds no program for task {task.name!r}: they are {suffix} files"
                )
            where = Path() if len(paths) == 1 else path
            cases += [
                _Case(str(path if name == path.name else where / name), program)
                for name, program in found.items()
            ]
        elif path.suffix in (".patch", ".diff") or is_patch(read_source(path)):
            cases.append(_Case(str(path), _patched(request, task, path)))
        else:
            cases.append(_Case(str(path), with_own_file(task.baseline, path, task.editable)))
    return _Group(task, cases)


def _patched(request: Judge, task: Task, path: Path) -> Program:
    """The task's program changed by a patch; files left out of it are named."""
    text = read_source(path)
    with ScratchFolder("maxcode-patch-") as scratch:
        if not isinstance(task, ProjectTask):
            return program_of_patch(task.baseline, text, scratch)
        change = patched(Path(request.task), text, scratch)
    if change.ignored:
        say(f"{path}: ignored: {', '.join(change.ignored)}")
    return change.program


def _problems(request: Judge, level: int, paths: Sequence[Path]) -> list[_Group]:
    """Each problem of a level with its kernels, as their names say."""
    # names are like "level1/19_ReLU"
    tasks = {
        int(task.name.rpartition("/")[2].partition("_")[0]): task
        for task in load_kernelbench(
            request.task, level, small=request.small, notes=standard_error().print
        )
    }
    groups: dict[int, list[_Case]] = {}
    for path in paths:
        for name, program in _kernels(path).items():
            if name.level != level:
                continue
            if name.problem not in tasks:
                raise InputError(f"{path}: level {level} has no problem {name.problem} ({name})")
            groups.setdefault(name.problem, []).append(_Case(str(name), program))
    if not groups:
        raise InputError(f"none of {', '.join(map(str, paths))} holds a kernel of level {level}")
    return [_Group(tasks[number], cases) for number, cases in sorted(groups.items())]


def _kernels(path: Path) -> dict[KernelName, Program]:
    if path.is_dir():
        return read_kernels(path)
    name = KernelName.parse(path.name)
    if name is None:
        raise InputError(f"{path}: with --level a kernel is named like {KernelName(1, 19, 0)}")
    return {name: Program.of(read_text(path), "kernel.py")}


def _modes(name: str | None, groups: Sequence[_Group]) -> tuple[str, ...]:
    """The modes to judge in; of other tasks than kernels a single mode without a name."""
    tasks = [group.task for group in groups]
    kernels = [task for task in tasks if isinstance(task, KernelTask)]
    if name is None:
        return (kernels[0].judging.mode if kernels else "",)
    if not kernels:
        raise InputError(f"--mode goes with kernels; {tasks[0].name!r} is a C++ program")
    if name not in (known := (*MODES, _BOTH)):
        raise InputError(f"unknown mode {name!r}; known: {', '.join(known)}")
    return MODES if name == _BOTH else (name,)


def _named(cases: Sequence[_Case], modes: Sequence[str]) -> dict[KernelName, _Case]:
    """Cases by their names in KernelBench's file. Raises :class:`InputError`."""
    if _THEIRS not in modes:
        raise InputError(f"--eval-results takes --mode {_THEIRS}, or --mode {_BOTH}")
    named: dict[KernelName, _Case] = {}
    for case in cases:
        name = KernelName.parse(Path(case.name).name)
        if name is None:
            raise InputError(
                f"{case.name}: --eval-results takes kernels named like {KernelName(1, 19, 0)}"
            )
        named[name] = case
    if len({name.level for name in named}) > 1:
        raise InputError("--eval-results holds one level, and the kernels are of several")
    return named


def _judge(group: _Group, modes: Sequence[str], sandbox: Sandbox, *, alone: bool) -> None:
    """Judge in each mode. Raises :class:`TaskError` if nothing else is to be judged."""
    programs = {case.name: case.program for case in group.cases}
    with make_executor(group.task, sandbox) as executor:
        tell_waits(executor)
        for mode in modes:
            task = in_mode(group.task, mode) if isinstance(group.task, KernelTask) else group.task
            try:
                group.gaps[mode] = executor.prepare(task).gaps
                for number, (name, program) in enumerate(programs.items(), 1):
                    one = executor.evaluate(task, program)
                    for case in group.cases:
                        if case.name == name:
                            case.evaluations[mode] = one
                    by = mode if len(modes) > 1 else ""
                    _print_verdict(f"{number} of {len(programs)}", name, one, by)
                group.references.append(_reference(executor, task))
            except (ExecutorError, TaskError, ToolError) as error:
                if alone:
                    raise
                missing = unjudged(error, programs)
                for case in group.cases:
                    case.evaluations.setdefault(mode, missing[case.name])
    if len(modes) > 1 and isinstance(group.task, KernelTask):
        for case in group.cases:
            strict, theirs = (case.evaluations[mode] for mode in modes)
            case.reason = reason(strict, theirs)


def _reference(executor: Executor, task: Task) -> str:
    """A line on a kernel's reference as it was prepared; empty of other tasks."""
    if not isinstance(task, KernelTask):
        return ""
    baseline = executor.prepare(task)
    seconds = baseline.measurements[0].median
    return f"reference of {task.name}: {duration(seconds)} a call, {baseline.note}"


def _print_verdict(number: str, name: str, one: Evaluation, mode: str) -> None:
    """A line as soon as a program is judged: the table comes when all are."""
    by = f" ({mode})" if mode else ""
    speedup = f", {_speedup(one)}" if one.speedup else ""
    text = f"{number}{by}: {one_line(name)}: {one.status.replace('_', ' ')}{speedup}"
    say(Text(text))


def _word(one: Evaluation) -> str:
    """The verdict in a word or two."""
    if one.speedup is None or not one.ok:
        return one.status.replace("_", " ")
    if one.speedup.high < 1 - ALLOWED:
        return "slower"
    faster = Expectation.of("faster", ALLOWED).holds(one.speedup)
    return {True: "faster", False: "no faster", None: "undecided"}[faster]


def _speedup(one: Evaluation) -> str:
    word = ", undecided" if _word(one) == "undecided" else ""
    return interval(one.speedup) + word if one.speedup else "-"


def _print(
    console: Console, cases: Sequence[_Case], modes: Sequence[str], groups: Sequence[_Group]
) -> None:
    table = plain_table("program")
    for mode in modes:
        table.add_column(mode if len(modes) > 1 else "status", no_wrap=True)
        table.add_column("speedup", no_wrap=True)
    if len(modes) == 1:
        table.add_column("feedback", overflow="fold")
    for case in cases:
        row = [Text(one_line(case.name))]
        for one in case.evaluations.values():
            row.append(Text(one.status.replace("_", " "), _STYLES.get(one.status, "red")))
            row.append(Text(_speedup(one)))
        if len(modes) == 1:
            row.append(Text(one.feedback.partition("\n")[0]))
        table.add_row(*row)
    console.print(table)
    for line in (one for group in groups for one in group.references if one):
        console.print(Text(f"\n{line}"), soft_wrap=True)
    for case in cases if len(modes) == 1 else ():
        one = case.evaluations[modes[0]]
        explained = one.details or one.feedback
        if one.status in _EXPLAINED and explained != one.feedback.partition("\n")[0]:
            console.print(titled(one_line(case.name), Text(explained)), soft_wrap=True)
    if len(modes) > 1:
        differing = facts((one_line(case.name), case.reason) for case in cases if case.reason)
        where = differing if differing.row_count else Text("nowhere")
        console.print(titled("where the verdicts differ", where))
    for group in groups:
        print_gaps(console, group.all_gaps, f"{group.task.name}: " if len(groups) > 1 else "")


def _document(groups: Sequence[_Group], *, isolated: bool) -> Document:
    adapter = TypeAdapter(Evaluation)
    rows: list[JsonValue] = [
        {
            "task": group.task.name,
            "name": case.name,
            "digest": case.program.digest,
            "evaluations": {
                mode or "default": adapter.dump_python(one, mode="json")
                for mode, one in case.evaluations.items()
            },
            "verdicts": {mode or "default": _word(one) for mode, one in case.evaluations.items()},
            "difference": case.reason,
            "gaps": list(group.all_gaps),
        }
        for group in groups
        for case in group.cases
    ]
    return {"isolated": isolated, "programs": rows}


_AUDIT_STYLES = {"ok": "green", "degenerate": "yellow", "error": "red"}


@dataclass(frozen=True)
class _Finding:
    """Ways to pass a task without computing, or the error of its audit."""

    path: Path
    passing: Sequence[str] = ()
    remarks: Sequence[str] = ()
    error: str = ""

    @property
    def verdict(self) -> str:
        """ok, degenerate or error."""
        return "error" if self.error else "degenerate" if self.passing else "ok"

    def document(self) -> Document:
        """The finding as JSON."""
        return {
            "task": str(self.path),
            "verdict": self.verdict,
            "passing": list(self.passing),
            "remarks": list(self.remarks),
            "error": self.error,
        }


def _audit(request: Judge) -> int:
    if request.mode not in (None, *MODES):
        raise InputError(f"unknown mode {request.mode!r} of an audit; known: {', '.join(MODES)}")
    if request.level or request.small or request.eval_results or request.inputs:
        raise InputError(
            "--level, --small, --inputs and --eval-results are for programs, not for --audit"
        )
    names = [request.task, *(request.programs or ())]
    paths = [path for name in names for path in _tasks(Path(name))]
    this_interpreter()  # raises without torch, before every task is reported to lack it
    findings = []
    with KernelExecutor(sandbox_named(request.sandbox)) as executor:
        for number, path in enumerate(paths, 1):
            say(f"{number} of {len(paths)}: {path}")
            findings.append(_look(executor, path, request.mode))
    _print_findings(results(request.json), findings)
    if request.json:
        print_document({"tasks": [finding.document() for finding in findings]})
    return 0 if all(finding.verdict == "ok" for finding in findings) else 1


def _tasks(path: Path) -> list[Path]:
    """The tasks at a path. Raises :class:`InputError` for none."""
    if path.is_file() or (path / TASK_FILE).is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"there is no task or folder {path}")
    kernels = (one for one in path.glob("*.py") if not one.name.startswith("_"))
    found = sorted({one.parent for one in path.glob(f"*/{TASK_FILE}")} | set(kernels), key=_natural)
    if not found:
        raise InputError(
            f"{path} holds no kernel tasks: they are folders with a {TASK_FILE}, or files in "
            "KernelBench's format"
        )
    return found


def _natural(path: Path) -> tuple[int, str]:
    """A sort key: the number at the beginning of a name, and the name."""
    number = path.name.partition("_")[0]
    return (int(number) if number.isdecimal() else -1, path.name)


def _look(executor: KernelExecutor, path: Path, mode: str | None) -> _Finding:
    """Audit a task; an error becomes a finding."""
    try:
        task = load_task(path)
        if not isinstance(task, KernelTask):
            raise InputError(f"{path} is no kernel task")
        found = executor.audit(in_mode(task, mode) if mode else task)
        return _Finding(path, found.passing, found.remarks)
    except (InputError, ToolError, ExecutorError) as error:
        return _Finding(path, error=str(error))


def _print_findings(console: Console, findings: Sequence[_Finding]) -> None:
    table = plain_table("task", "verdict", "what would pass")
    for one in findings:
        detail = one.error.partition("\n")[0] or "; ".join(one.passing) or "-"
        verdict = Text(one.verdict, _AUDIT_STYLES[one.verdict])
        table.add_row(Text(str(one.path)), verdict, Text(detail))
    console.print(table)
    remarks = facts((str(one.path), "; ".join(one.remarks)) for one in findings if one.remarks)
    if remarks.row_count:
        console.print(titled("judged with what is left", remarks))
    counts = {verdict: sum(one.verdict == verdict for one in findings) for verdict in _AUDIT_STYLES}
    console.print(
        f"\n{counted(len(findings), 'task')}: {counts['degenerate']} would be passed without "
        f"computing, {counts['error']} could not be audited"
    )
