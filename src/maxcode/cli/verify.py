"""The command `verify`: a change or a run's result, measured once more against the original."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from maxcode.budget import Budget
from maxcode.cli.commands import Verify
from maxcode.cli.console import (
    check_writable,
    command,
    print_document,
    say,
    standard_output,
    tell_waits,
)
from maxcode.cli.plugins import make_executor
from maxcode.cli.recipe import Recipe
from maxcode.cli.tasks import TASK_FILE, load_source, sandbox_named
from maxcode.cli.verdicts import ALLOWED, Expectation, Verdict
from maxcode.errors import InputError
from maxcode.evaluation import Baseline, Comparison, Evaluation
from maxcode.executors.project.change import Change, Sides, change_in_git, change_of_patch, sides
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.executors.project.timing import each_benchmark
from maxcode.files import read_source, write_text
from maxcode.interfaces import Executor
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.measure.rounds import Plan, bounds
from maxcode.measure.statistics import LONG_ENOUGH
from maxcode.program import Program
from maxcode.readers.formats import PROCESS
from maxcode.report.closing import flags_of
from maxcode.sandbox.base import Sandbox
from maxcode.search.result import Result
from maxcode.sources import from_bytes
from maxcode.system import ScratchFolder
from maxcode.task import Task
from maxcode.tasks.project import FLAGS_FILE, ProjectTask
from maxcode.text import duration

# Equal programs are measured for all the seconds; others until the interval excludes 1.
_PLAN = Plan(least=10, most=400, level=0.95, promising=0.05, fewest=10)


def verify(request: Verify) -> int:
    """Build, test and measure it again; gives the exit code."""
    Expectation.of(request.expect, ALLOWED)
    for path in filter(None, (request.markdown, request.junit)):
        check_writable(Path(path).absolute())
    with ScratchFolder("maxcode-patch-") as scratch:
        if change := _change(request, scratch):
            verdict = _measured(request, change, sandbox_named(request.sandbox))
        else:
            task, program, box = _of_run(request)
            verdict = _measured(request, Change(task, program), box)
    if request.json:
        print_document(verdict.document())
    else:
        verdict.write(standard_output())
    if request.markdown:
        write_text(Path(request.markdown), verdict.markdown())
    if request.junit:
        write_text(Path(request.junit), verdict.junit())
    return verdict.code


def _change(request: Verify, scratch: Path) -> Change | None:
    """The change of a project that the source names; None for a run."""
    source, folder = request.source, Path(request.task)
    path, tests = Path(source), request.their_tests
    if source == "-" or path.is_file():
        _check_project(folder, source)
        text = from_bytes(sys.stdin.buffer.read()) if source == "-" else read_source(path)
        return patched(folder, text, scratch, their_tests=tests)
    if path.suffix in (".patch", ".diff"):
        raise InputError(f"there is no file {source}")
    if path.is_dir():
        return change_in_git(path, Sides("HEAD"), scratch, their_tests=tests)
    if source == "last" or not folder.is_dir():
        return None
    found = sides(folder, source)
    return change_in_git(folder, found, scratch, their_tests=tests) if found else None


def _check_project(folder: Path, source: str) -> None:
    if not (folder / TASK_FILE).is_file() or not isinstance(load_source(str(folder)), ProjectTask):
        raise InputError(f"{folder} is no project, and {source} is a patch of one; name it: --task")


def patched(folder: Path, text: str, scratch: Path, *, their_tests: bool = False) -> Change:
    """The change by a patch, which may set flags as the patches of a search do.

    Raises :class:`InputError` for a patch that does not apply, or changes what is not judged.
    """
    change = change_of_patch(folder, text, scratch, their_tests=their_tests)
    baseline, files = change.task.baseline, dict(change.program.files)
    if (flags := flags_of(text)) is not None or FLAGS_FILE in baseline.files:
        files[FLAGS_FILE] = baseline.files.get(FLAGS_FILE, "") if flags is None else f"{flags}\n"
    program = Program(files, change.program.entry)
    if program == baseline:
        raise InputError(f"the patch changes nothing of {folder}")
    return replace(change, program=program)


def _of_run(request: Verify) -> tuple[Task, Program, Sandbox]:
    """Task, best program and sandbox of a run."""
    with Journal.open(request.store, create=False) as journal:
        state = RunState.load(journal.run(request.source))
        recipe = Recipe.of(state)
        result = Result.of(state)
        if not result.improved:
            raise InputError(f"run {result.run_id} found nothing faster that could be verified")
        built = recipe.build(Budget(), sandbox=request.sandbox)
        task, program = built.load_task(), result.program
        if state.started and state.started.task_digest != task.digest:
            raise InputError(
                f"the task of run {result.run_id} has changed since; put it back to measure again"
            )
        return task, program, built.sandbox


def _executor(task: Task, box: Sandbox, seconds: float) -> AbstractContextManager[Executor]:
    if isinstance(task, ProjectTask):
        return ProjectExecutor(box, confirm=replace(_PLAN, seconds=seconds))
    return make_executor(task, box)


def _measured(request: Verify, change: Change, box: Sandbox) -> Verdict:
    task = change.task
    with _executor(task, box, request.seconds) as executor:
        tell_waits(executor)
        say("building, testing and timing the original")
        baseline = executor.prepare(task)
        say("building, testing and timing the changed program")
        evaluation = executor.evaluate(task, change.program)
        comparison = None
        if evaluation.ok:
            comparison = executor.compare(task, change.program, task.baseline)
    verdict = _verdict(request, change, evaluation, comparison)
    return replace(
        verdict,
        notes=tuple(_notes(change, baseline, verdict)),
        gaps=baseline.gaps,
        checked=baseline.note,
        machine=next(iter(baseline.machine.splitlines()), "unknown"),
        isolated=box.isolated,
    )


def _verdict(
    request: Verify, change: Change, evaluation: Evaluation, comparison: Comparison | None
) -> Verdict:
    task = change.task
    margin = task.benchmark.no_regression if isinstance(task, ProjectTask) else None
    allowed = ALLOWED if margin is None else margin
    where = () if request.task == "." else ("--task", request.task)
    expected = () if request.expect == "faster" else ("--expect", request.expect)
    known = Verdict(
        task.name,
        evaluation.status,
        evaluation.details or evaluation.feedback,
        None,
        Expectation.of(request.expect, allowed),
        allowed,
        ignored=change.ignored,
        repeat=command("verify", request.source, *where, *expected),
    )
    if comparison is None:
        return known
    known = replace(known, problem=comparison.problem, seconds=comparison.seconds)
    if not comparison.first:
        return known
    ratio = comparison.ratio or bounds(
        comparison.second[0].samples, comparison.first[0].samples, _PLAN.level
    )
    each = each_benchmark(comparison.first, comparison.second, ratio.level)
    slower = [f"{name} {one}" for name, one in each.items() if one.high < 1 - allowed]
    slower = slower if margin is not None else []
    believed = comparison.ratio is not None or slower or ratio.high < 1 - allowed
    return replace(
        known,
        ratio=ratio if believed else None,
        each=each,
        slower=tuple(slower),
        pairs=len(comparison.first[0].samples),
    )


def _notes(change: Change, baseline: Baseline, verdict: Verdict) -> list[str]:
    notes, task, took = [], change.task, baseline.measurements[-1].median
    process = isinstance(task, ProjectTask) and task.benchmark.format == PROCESS
    if process and took < LONG_ENOUGH:
        notes.append(
            f"its benchmark takes {duration(took)}, much of it the start of the process: the "
            "speedup is understated"
        )
    if verdict.ratio is None and change.build_files:
        notes.append(
            f"it may need its own {', '.join(change.build_files)}: name such files under editable "
            "in task.toml"
        )
    return notes
