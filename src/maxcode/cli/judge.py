"""The commands `judge` and `fuzz`: existing programs without a search; audits of kernel tasks."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import JsonValue, TypeAdapter
from rich.console import Console
from rich.text import Text

from maxcode.cli.commands import Fuzz, Judge
from maxcode.cli.console import (
    check_writable,
    facts,
    plain_table,
    print_document,
    print_gaps,
    results,
    say,
    standard_output,
    titled,
)
from maxcode.cli.forms import Outcome, Row
from maxcode.cli.lookup import check_there
from maxcode.cli.plugins import make_executor
from maxcode.cli.tasks import load_source, sandbox_named, source_of
from maxcode.cli.verify import ALLOWED, Expectation, patched
from maxcode.errors import ExecutorError, InputError, ToolError
from maxcode.evaluation import Evaluation, FuzzPlan, FuzzResult, Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.judge import Audit
from maxcode.executors.kernel.kernelbench import in_mode, reason
from maxcode.executors.kernel.machine import this_interpreter
from maxcode.executors.program.further import as_bytes
from maxcode.executors.project.change import is_patch, program_of_patch
from maxcode.files import read_source
from maxcode.generators.pool import PoolGenerator, with_own_file
from maxcode.interfaces import Fuzzes
from maxcode.program import Program
from maxcode.report.listing import Document, fuzzed_document
from maxcode.sandbox.base import Sandbox
from maxcode.search.summary import agreement
from maxcode.system import ScratchFolder
from maxcode.task import Task
from maxcode.tasks import KernelTask, ProjectTask, load_task
from maxcode.tasks.kernel import MODES
from maxcode.text import counted, duration, interval, one_line, plain

_EXPLAINED = (Status.BUILD_ERROR, Status.WRONG_ANSWER)  # of which the table has a line alone
_STYLES = {Status.OK: "green", Status.INFRASTRUCTURE: "magenta"}


@dataclass
class _Judged:
    """A task and the verdicts on programs, by the program's name and the mode.

    ``gaps`` are those of its checks, and ``references`` lines on the reference of a kernel.
    """

    task: Task
    modes: tuple[str, ...]
    verdicts: dict[str, dict[str, Evaluation]]
    gaps: dict[str, None] = field(default_factory=dict)
    references: list[str] = field(default_factory=list)

    def difference(self, name: str) -> str:
        """Why the verdicts of two modes differ; empty where they do not."""
        verdicts = tuple(self.verdicts[name].values())
        return reason(*verdicts) if len(verdicts) > 1 else ""

    def rows(self) -> Iterator[tuple[str, Evaluation]]:
        """Every verdict, with the program's name and, of several modes, the mode."""
        for name, verdicts in self.verdicts.items():
            for mode, one in verdicts.items():
                yield one_line(f"{name} ({mode})" if len(self.modes) > 1 else name), one


def judge(request: Judge) -> int:
    """Judge the programs, or audit the task, and print a table; gives the exit code."""
    if request.audit:
        return _audit(request)
    if not request.programs:
        raise InputError(f"name programs to judge: maxcode judge {request.task} PROGRAM...")
    paths = [Path(name) for name in request.programs]
    for path in paths:
        check_there(path)
    task = load_source(source_of(request))
    modes, programs = _modes(request.mode, task), _programs(request, task, paths)
    sandbox, code = sandbox_named(request.sandbox), 0
    judged = _Judged(task, modes, {name: {} for name in programs})
    say(f"{task.name}: {counted(len(programs), 'program')}")
    try:
        _judge(judged, programs, sandbox)
    except KeyboardInterrupt:
        finished = sum(map(bool, judged.verdicts.values()))
        say(f"interrupted: judged {finished} of {len(programs)}")
        if not finished:
            raise
        code = 128 + signal.SIGINT
    _print(results(request.json), judged)
    if request.json:
        print_document(_document(judged, programs, isolated=sandbox.isolated))
    _outcome(judged).write(request.markdown, request.junit)
    statuses = {one.status for each in judged.verdicts.values() for one in each.values()}
    return code or int(Status.INFRASTRUCTURE in statuses)


def _programs(request: Judge, task: Task, paths: Sequence[Path]) -> dict[str, Program]:
    """The programs by their names; of a folder all that fit the task."""
    programs = {}
    for path in paths:
        if path.is_dir():
            where = Path() if len(paths) == 1 else path
            for name, program in PoolGenerator(path).candidates(task).items():
                programs[str(path if name == path.name else where / name)] = program
        elif path.suffix in (".patch", ".diff") or is_patch(read_source(path)):
            programs[str(path)] = _patched(request, task, path)
        else:
            programs[str(path)] = with_own_file(task.baseline, path, task.editable)
    if not programs:
        raise InputError(f"{paths[0]} holds no program for task {task.name!r}")
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
    return MODES if name == "both" else (name or task.judging.mode,)


def _judge(judged: _Judged, programs: Mapping[str, Program], sandbox: Sandbox) -> None:
    """Judge all programs in each mode, with a line for each: the table comes when all are."""
    kernel = judged.task if isinstance(judged.task, KernelTask) else None
    with make_executor(judged.task, sandbox) as executor:
        for mode in judged.modes:
            task = in_mode(kernel, mode) if kernel else judged.task
            judged.gaps.update(dict.fromkeys(executor.prepare(task).gaps))
            for number, (name, program) in enumerate(programs.items(), 1):
                judged.verdicts[name][mode] = one = executor.evaluate(task, program)
                speedup = f", {_speedup(one)}" if one.speedup else ""
                verdict = f"{one.status.replace('_', ' ')}{speedup}"
                say(Text(f"{number} of {len(programs)}: {one_line(name)}: {verdict}"))
            if kernel:
                known = executor.prepare(task)  # by now with what the judge learned
                called = f"{duration(known.measurements[0].median)} a call, {known.note}"
                judged.references.append(f"reference of {task.name}: {called}")


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


def _print(console: Console, judged: _Judged) -> None:
    table = plain_table(("program", "status", "speedup", "feedback"))
    table.columns[1].no_wrap = table.columns[2].no_wrap = True
    explained = []
    for name, one in judged.rows():
        status = Text(one.status.replace("_", " "), _STYLES.get(one.status, "red"))
        first, text = one.feedback.partition("\n")[0], one.details or one.feedback
        table.add_row(name, status, _speedup(one), first)
        if len(judged.modes) == 1 and one.status in _EXPLAINED and text != first:
            explained.append(titled(name, Text(text)))
    console.print(table)
    for line in judged.references:
        console.print(f"\n{line}", soft_wrap=True)
    for part in explained:
        console.print(part, soft_wrap=True)
    reasons = {one_line(name): judged.difference(name) for name in judged.verdicts}
    if differing := [(name, why) for name, why in reasons.items() if why]:
        console.print(titled("where the verdicts differ", facts(differing)))
    print_gaps(console, [*judged.gaps])


def _outcome(judged: _Judged) -> Outcome:
    """The verdicts for a comment or a file of tests."""
    rows = [
        Row(name, (_word(one), _speedup(one)), "" if one.ok else _word(one))
        for name, one in judged.rows()
    ]
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
    dump = TypeAdapter(Evaluation).dump_python
    rows: list[JsonValue] = []
    for name, program in programs.items():
        verdicts = {mode or "default": one for mode, one in judged.verdicts[name].items()}
        rows.append(
            {
                "task": judged.task.name,
                "name": name,
                "digest": program.digest,
                "evaluations": {mode: dump(one, mode="json") for mode, one in verdicts.items()},
                "verdicts": {mode: _word(one) for mode, one in verdicts.items()},
                "difference": judged.difference(name),
                "gaps": [*judged.gaps],
            }
        )
    return {"isolated": isolated, "programs": rows}


def _audit(request: Judge) -> int:
    """Print which answers a kernel task accepts without computing; gives the exit code."""
    if request.programs or request.inputs:
        raise InputError("--audit takes a kernel task alone, without programs and --inputs")
    this_interpreter()  # raises without torch, before the task is reported to lack it
    found, error, sandbox = Audit((), ()), "", sandbox_named(request.sandbox)
    check_there(Path(request.task), "task")
    try:
        task = load_task(request.task)
        if not isinstance(task, KernelTask):
            raise InputError(f"{request.task} is no kernel task")
        with KernelExecutor(sandbox) as executor:
            found = executor.audit(in_mode(task, _modes(request.mode, task)[0]))
    except (InputError, ToolError, ExecutorError) as problem:
        error = str(problem)
    verdict = "error" if error else "degenerate" if found.passing else "ok"
    passed = f"passed by {'; '.join(found.passing)}" if found.passing else "ok"
    lines = (f"{request.task}: {error or passed}", *found.remarks)
    results(request.json).print("\n".join(lines), soft_wrap=True)
    if request.json:
        told = {"task": request.task, "verdict": verdict, **asdict(found), "error": error}
        print_document({"tasks": [told]})
    return 0 if verdict == "ok" else 1


def fuzz(request: Fuzz) -> int:
    """Compare the program, and report; gives the exit code."""
    check_there(Path(request.program))
    task = load_source(source_of(request))
    program = with_own_file(task.baseline, Path(request.program), task.editable)
    if request.save:
        check_writable(Path(request.save).absolute())
    box = sandbox_named(request.sandbox)
    evaluation, found = _fuzzed(task, program, request, box)
    differs = found.counterexample if found else None
    saved = request.save if differs else None
    if differs and saved:
        Path(saved).write_bytes(as_bytes(differs.input))
    if request.json:
        print_document(
            {
                "task": task.name,
                "program": request.program,
                "status": evaluation.status.value,
                "feedback": evaluation.feedback,
                "fuzzed": fuzzed_document(found),
                "saved": saved,
                "isolated": box.isolated,
            }
        )
    elif found is None:
        say(f"fails the task's own tests: {evaluation.feedback}", style="red")
    else:
        _print_fuzzed(task, found, saved)
    return 0 if found and found.agreed and not differs else 1


def _fuzzed(
    task: Task, program: Program, request: Fuzz, box: Sandbox
) -> tuple[Evaluation, FuzzResult | None]:
    """The verdict on the task's tests and, if the program passes, on further inputs."""
    plan = FuzzPlan(request.seed, request.count, request.seconds, longest=request.seconds)
    with make_executor(task, box) as executor:
        if not isinstance(executor, Fuzzes):
            raise InputError(f"no inputs can be made for task {task.name!r}")
        say(f"{task.name}: the task's own tests")
        executor.prepare(task)
        evaluation = executor.evaluate(task, program)
        if not evaluation.ok:
            return evaluation, None
        say(f"{task.name}: further inputs, up to {plan.count}")
        return evaluation, executor.fuzz(task, program, plan)


def _print_fuzzed(task: Task, found: FuzzResult, saved: str | None) -> None:
    console, beyond = standard_output(), found.beyond
    if differs := found.counterexample:
        texts = {"input": differs.input, "expected": differs.expected, "got": differs.actual}
        for title, text in texts.items():
            console.print(titled(title, Text(plain(text)), ""))
    word = "differs" if differs else "agrees"
    color = "red" if differs else "yellow" if found.few else "green"
    console.print(f"{task.name}: {word}", style=f"bold {color}")
    rows = {
        "inputs": found.learned,
        word: agreement(found).removeprefix("differs "),
        "problem": found.problem.partition("\n")[0] if differs else "",
        "took": duration(found.seconds),
        "saved": saved or "",
        "beyond": f"{found.remark}; it is no fault without [fuzz] strict = true" if beyond else "",
        "there": f"{beyond.actual!r} for {beyond.expected!r}" if beyond else "",
    }
    console.print(facts((name, text) for name, text in rows.items() if text))
