"""The command `verify`: a change or a run's result, measured once more against the original."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from maxcode.budget import Budget
from maxcode.cli.commands import Verify
from maxcode.cli.console import command, print_document, say, standard_output
from maxcode.cli.forms import check_forms
from maxcode.cli.plugins import make_executor, tell_waits
from maxcode.cli.recipe import Recipe
from maxcode.cli.tasks import TASK_FILE, sandbox_named
from maxcode.cli.verdicts import ALLOWED, LEVEL, Expectation, Verdict
from maxcode.errors import ExecutorError, InputError, ToolError
from maxcode.evaluation import Baseline, Comparison
from maxcode.executors.project.change import Change, Sides, change_in_git, change_of_patch, sides
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.executors.project.timing import each_benchmark
from maxcode.files import read_source
from maxcode.interfaces import Executor
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.measure.rounds import bounds
from maxcode.program import Program
from maxcode.report.closing import flags_of
from maxcode.sandbox.base import Sandbox
from maxcode.search.result import Result
from maxcode.search.summary import too_small
from maxcode.system import ScratchFolder
from maxcode.tasks.project import FLAGS_FILE, ProjectTask


def verify(request: Verify) -> int:
    """Build, test and measure it again; gives the exit code."""
    Expectation.of(request.expect, ALLOWED)
    check_forms(request.markdown, request.junit)
    with ScratchFolder("maxcode-patch-") as scratch:
        change = _change(request, scratch)
        given = (change, sandbox_named(request.sandbox)) if change else _of_run(request)
        try:
            verdict = _measured(request, *given)
        except ExecutorError as error:  # the code of other errors is a verdict here
            raise ToolError(str(error)) from error
    if request.json:
        print_document(verdict.document())
    else:
        verdict.write(standard_output())
    verdict.outcome().write(request.markdown, request.junit)
    return verdict.code


def _change(request: Verify, scratch: Path) -> Change | None:
    """The change of a project that the source names; None for a run."""
    source, folder = request.source, Path(request.task)
    path, tests = Path(source), request.their_tests
    if source == "-" or path.is_file():
        if not (folder / TASK_FILE).is_file():
            raise InputError(f"{folder} is no project to apply {source} to; name it: --task")
        text = read_source(Path("/dev/stdin") if source == "-" else path)
        return patched(folder, text, scratch, their_tests=tests)
    if path.suffix in (".patch", ".diff"):
        raise InputError(f"there is no file {source}")
    if path.is_dir():
        return change_in_git(path, Sides("HEAD"), scratch, their_tests=tests)
    found = None if source == "last" or not folder.is_dir() else sides(folder, source)
    return change_in_git(folder, found, scratch, their_tests=tests) if found else None


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


def _of_run(request: Verify) -> tuple[Change, Sandbox]:
    """The best program of a run, and its sandbox."""
    with Journal.open(request.store, create=False) as journal:
        state = RunState.load(journal.run(request.source))
        recipe = Recipe.of(state)
        result = Result.of(state)
        if not result.improved:
            raise InputError(f"run {result.run_id} found nothing faster that could be verified")
        built = recipe.build(Budget(), sandbox=request.sandbox)
        task = built.load_task()
        if state.started and state.started.task_digest != task.digest:
            raise InputError(
                f"the task of run {result.run_id} has changed since; put it back to measure again"
            )
        return Change(task, result.program), built.sandbox


def _measured(request: Verify, change: Change, box: Sandbox) -> Verdict:
    task, comparison = change.task, None
    margin = task.benchmark.no_regression if isinstance(task, ProjectTask) else None
    allowed = ALLOWED if margin is None else margin
    expected = Expectation.of(request.expect, allowed)
    made: AbstractContextManager[Executor]
    if isinstance(task, ProjectTask):
        made = project = ProjectExecutor(box, confirm=expected.plan(request.seconds))
        tell_waits(project)
    else:
        made = make_executor(task, box)
    with made as executor:
        say("building, testing and timing the original")
        baseline = executor.prepare(task)
        say("building, testing and timing the changed program")
        evaluation = executor.evaluate(task, change.program)
        if evaluation.ok:
            comparison = executor.compare(task, change.program, task.baseline)
    words = [request.source, "--task", request.task, "--expect", request.expect]
    words += ["--their-tests"] if request.their_tests else []
    verdict = Verdict(
        task.name,
        evaluation.status,
        evaluation.details or evaluation.feedback,
        None,
        expected,
        allowed,
        ignored=change.ignored,
        gaps=baseline.gaps,
        checked=baseline.note,
        machine=next(iter(baseline.machine.splitlines()), "unknown"),
        repeat=command("verify", *words) + (" < change.patch" if request.source == "-" else ""),
        isolated=box.isolated,
        seconds=min(comparison.seconds, request.seconds) if comparison else 0.0,
    )
    if comparison:
        verdict = _with_figures(verdict, comparison, each_counts=margin is not None)
    if verdict.speedup:
        own = baseline.without_start(verdict.speedup.value)
        verdict = replace(verdict, without_start=own)
    return replace(verdict, notes=tuple(_notes(change, baseline, verdict)))


def _with_figures(verdict: Verdict, comparison: Comparison, *, each_counts: bool) -> Verdict:
    """The verdict by a comparison; ``each_counts`` if no benchmark may become slower."""
    known = replace(verdict, problem=comparison.problem)
    if not comparison.first:
        return known
    first, second, least = comparison.first, comparison.second, 1 - verdict.allowed
    ratio = comparison.ratio or bounds(second[0].samples, first[0].samples, LEVEL)
    each = each_benchmark(first, second, ratio.level)
    slower = tuple(name for name, one in each.items() if each_counts and one.high < least)
    if comparison.ratio is None and not slower and ratio.high >= least:
        return known  # its figures are not believed
    pairs = len(first[0].samples)
    return replace(known, speedup=ratio, benchmarks=each, slower=slower, pairs=pairs)


def _notes(change: Change, baseline: Baseline, verdict: Verdict) -> Iterator[str]:
    if baseline.floor is not None:
        yield from (f"understated: {one}" for one in too_small(baseline))
    if verdict.speedup is None and change.build_files:
        files = ", ".join(change.build_files)
        yield f"left out, and perhaps needed: {files} (to judge them, name them under editable)"
