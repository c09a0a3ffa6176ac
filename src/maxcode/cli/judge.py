"""The command `judge`: existing programs without a search, and audits of kernel tasks."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import JsonValue, TypeAdapter
from rich.console import Console
from rich.text import Text

from maxcode.cli.commands import Judge
from maxcode.cli.console import (
    facts,
    plain_table,
    print_document,
    print_gaps,
    results,
    say,
    titled,
)
from maxcode.cli.forms import Outcome, Row, check_forms
from maxcode.cli.lookup import check_there
from maxcode.cli.plugins import make_executor
from maxcode.cli.tasks import TASK_FILE, load_source, sandbox_named, source_of
from maxcode.cli.verdicts import ALLOWED, Expectation
from maxcode.cli.verify import patched
from maxcode.errors import ExecutorError, InputError, ToolError
from maxcode.evaluation import Evaluation, Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.kernelbench import in_mode, reason
from maxcode.executors.kernel.machine import this_interpreter
from maxcode.executors.project.change import is_patch, program_of_patch
from maxcode.files import read_source
from maxcode.generators.pool import PoolGenerator, with_own_file
from maxcode.program import Program
from maxcode.report.listing import Document
from maxcode.sandbox.base import Sandbox
from maxcode.system import ScratchFolder
from maxcode.task import Task
from maxcode.tasks import KernelTask, ProjectTask, load_task
from maxcode.tasks.kernel import MODES
from maxcode.text import counted, duration, interval, one_line

_BOTH = "both"
_EXPLAINED = (Status.BUILD_ERROR, Status.WRONG_ANSWER)  # of which the table has a line alone
_STYLES = {Status.OK: "green", Status.INFRASTRUCTURE: "magenta"}


@dataclass
class _Judged:
    """A task and the verdicts on programs, by mode and by the program's name."""

    task: Task
    evaluations: dict[str, dict[str, Evaluation]] = field(default_factory=dict)
    gaps: dict[str, None] = field(default_factory=dict)
    """Gaps in the checks, each once, in their order."""
    references: list[str] = field(default_factory=list)
    """Of kernels: time and allowances of the reference, in each mode."""

    @property
    def modes(self) -> list[str]:
        """The modes judged in; of other tasks than kernels one without a name."""
        return list(self.evaluations)

    def of(self, name: str) -> dict[str, Evaluation]:
        """The verdicts on a program, by mode."""
        found = self.evaluations.items()
        return {mode: verdicts[name] for mode, verdicts in found if name in verdicts}

    def difference(self, name: str) -> str:
        """Why the verdicts of two modes differ; empty where they do not."""
        verdicts = tuple(self.of(name).values())
        return reason(*verdicts) if len(verdicts) > 1 else ""


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
    task = load_source(source_of(request, small=request.small))
    modes, programs = _modes(request.mode, task), _programs(request, task, paths)
    check_forms(request.markdown, request.junit)
    sandbox, judged, code = sandbox_named(request.sandbox), _Judged(task), 0
    say(f"{task.name}: {counted(len(programs), 'program')}")
    try:
        _judge(judged, programs, modes, sandbox)
    except KeyboardInterrupt:
        finished = [name for name in programs if judged.of(name)]
        say(f"interrupted: judged {len(finished)} of {len(programs)}")
        if not finished:
            raise
        code = 128 + signal.SIGINT
    _print(results(request.json), judged, [name for name in programs if judged.of(name)])
    if request.json:
        print_document(_document(judged, programs, isolated=sandbox.isolated))
    _outcome(judged, programs).write(request.markdown, request.junit)
    statuses = {one.status for each in judged.evaluations.values() for one in each.values()}
    return code or int(Status.INFRASTRUCTURE in statuses)


def _programs(request: Judge, task: Task, paths: Sequence[Path]) -> dict[str, Program]:
    """The programs by their names; of a folder all that fit the task."""
    programs = {}
    for path in paths:
        if path.is_dir():
            found = PoolGenerator(path).candidates(task)
            if not found:
                suffix = Path(task.baseline.entry).suffix
                raise InputError(
                    f"{path} holds no program for task {task.name!r}: they are {suffix} files"
                )
            where = Path() if len(paths) == 1 else path
            for name, program in found.items():
                programs[str(path if name == path.name else where / name)] = program
        elif path.suffix in (".patch", ".diff") or is_patch(read_source(path)):
            programs[str(path)] = _patched(request, task, path)
        else:
            programs[str(path)] = with_own_file(task.baseline, path, task.editable)
    return programs


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


def _modes(name: str | None, task: Task) -> tuple[str, ...]:
    """The modes to judge in; of other tasks than kernels a single mode without a name."""
    if not isinstance(task, KernelTask):
        if name is not None:
            raise InputError(f"--mode goes with kernels, and {task.name!r} is none")
        return ("",)
    if name not in (None, *MODES, _BOTH):
        raise InputError(f"unknown mode {name!r}; known: {', '.join((*MODES, _BOTH))}")
    return MODES if name == _BOTH else (name or task.judging.mode,)


def _judge(
    judged: _Judged, programs: Mapping[str, Program], modes: Sequence[str], sandbox: Sandbox
) -> None:
    """Judge all programs in each mode, with a line for each: the table comes when all are."""
    with make_executor(judged.task, sandbox) as executor:
        for mode in modes:
            kernel = judged.task if isinstance(judged.task, KernelTask) else None
            task = in_mode(kernel, mode) if kernel else judged.task
            baseline = executor.prepare(task)
            judged.gaps.update(dict.fromkeys(baseline.gaps))
            verdicts = judged.evaluations.setdefault(mode, {})
            for number, (name, program) in enumerate(programs.items(), 1):
                verdicts[name] = one = executor.evaluate(task, program)
                by = f" ({mode})" if len(modes) > 1 else ""
                speedup = f", {_speedup(one)}" if one.speedup else ""
                verdict = f"{one.status.replace('_', ' ')}{speedup}"
                say(Text(f"{number} of {len(programs)}{by}: {one_line(name)}: {verdict}"))
            if kernel:
                known = executor.prepare(task)  # by now with what the judge learned
                seconds = duration(known.measurements[0].median)
                line = f"reference of {task.name}: {seconds} a call, {known.note}"
                judged.references.append(line)


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


def _print(console: Console, judged: _Judged, names: Sequence[str]) -> None:
    table, alone = plain_table("program"), len(judged.modes) == 1
    for mode in judged.modes:
        table.add_column("status" if alone else mode, no_wrap=True)
        table.add_column("speedup", no_wrap=True)
    if alone:
        table.add_column("feedback", overflow="fold")
    for name in names:
        row = [Text(one_line(name))]
        for one in judged.of(name).values():
            row.append(Text(one.status.replace("_", " "), _STYLES.get(one.status, "red")))
            row.append(Text(_speedup(one)))
        if alone:
            row.append(Text(one.feedback.partition("\n")[0]))
        table.add_row(*row)
    console.print(table)
    for line in judged.references:
        console.print(Text(f"\n{line}"), soft_wrap=True)
    for name in names if alone else ():
        [one] = judged.of(name).values()
        explained = one.details or one.feedback
        if one.status in _EXPLAINED and explained != one.feedback.partition("\n")[0]:
            console.print(titled(one_line(name), Text(explained)), soft_wrap=True)
    if not alone:
        reasons = {one_line(name): judged.difference(name) for name in names}
        differing = facts((name, text) for name, text in reasons.items() if text)
        where = differing if differing.row_count else Text("nowhere")
        console.print(titled("where the verdicts differ", where))
    print_gaps(console, [*judged.gaps])


def _outcome(judged: _Judged, names: Iterable[str]) -> Outcome:
    """The verdicts for a comment or a file of tests."""
    rows = []
    for name in names:
        for mode, one in judged.of(name).items():
            shown = f"{name} ({mode})" if len(judged.modes) > 1 else name
            failure = "" if one.ok else _word(one)
            rows.append(Row(one_line(shown), (_word(one), _speedup(one)), failure))
    passed = sum(not one.failure for one in rows)
    return Outcome(
        "judge",
        judged.task.name,
        f"{passed} of {counted(len(rows), 'verdict')} ok",
        columns=("program", "verdict", "speedup"),
        rows=rows,
        facts=[f"little is compared: {gap}" for gap in judged.gaps],
    )


def _document(judged: _Judged, programs: Mapping[str, Program], *, isolated: bool) -> Document:
    adapter = TypeAdapter(Evaluation)
    rows: list[JsonValue] = []
    for name, program in programs.items():
        verdicts = {mode or "default": one for mode, one in judged.of(name).items()}
        rows.append(
            {
                "task": judged.task.name,
                "name": name,
                "digest": program.digest,
                "evaluations": {
                    mode: adapter.dump_python(one, mode="json") for mode, one in verdicts.items()
                },
                "verdicts": {mode: _word(one) for mode, one in verdicts.items()},
                "difference": judged.difference(name),
                "gaps": [*judged.gaps],
            }
        )
    return {"isolated": isolated, "programs": rows}


_AUDIT_STYLES = {"ok": "green", "degenerate": "yellow", "error": "red"}


@dataclass(frozen=True)
class _Finding:
    """Ways to pass a task without computing, or the error of its audit."""

    task: str
    verdict: str
    passing: Sequence[str] = ()
    remarks: Sequence[str] = ()
    error: str = ""


def _audit(request: Judge) -> int:
    if request.mode not in (None, *MODES):
        raise InputError(f"unknown mode {request.mode!r} of an audit; known: {', '.join(MODES)}")
    if request.small or request.inputs:
        raise InputError("--small and --inputs are for programs, not for --audit")
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
        print_document({"tasks": [asdict(finding) for finding in findings]})
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
    except (InputError, ToolError, ExecutorError) as error:
        return _Finding(str(path), "error", error=str(error))
    verdict = "degenerate" if found.passing else "ok"
    return _Finding(str(path), verdict, [*found.passing], [*found.remarks])


def _print_findings(console: Console, findings: Sequence[_Finding]) -> None:
    table = plain_table("task", "verdict", "what would pass")
    for one in findings:
        detail = one.error.partition("\n")[0] or "; ".join(one.passing) or "-"
        table.add_row(one.task, Text(one.verdict, _AUDIT_STYLES[one.verdict]), Text(detail))
    console.print(table)
    remarks = facts((one.task, "; ".join(one.remarks)) for one in findings if one.remarks)
    if remarks.row_count:
        console.print(titled("judged with what is left", remarks))
    counts = {verdict: sum(one.verdict == verdict for one in findings) for verdict in _AUDIT_STYLES}
    console.print(
        f"\n{counted(len(findings), 'task')}: {counts['degenerate']} would be passed without "
        f"computing, {counts['error']} could not be audited"
    )
