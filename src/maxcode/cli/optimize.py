"""The commands `optimize` and `resume`: a search, seen through to its summary and exit code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from maxcode.budget import Budget
from maxcode.cli.commands import Optimize, Resume
from maxcode.cli.console import (
    command,
    print_document,
    results,
    say,
    standard_error,
    standard_output,
)
from maxcode.cli.dry_run import print_plan
from maxcode.cli.models import awaited, trouble
from maxcode.cli.plugins import make_executor, nothing_proposed, run_loggers
from maxcode.cli.progress import View
from maxcode.cli.recipe import Built, Recipe, given_changes, search_options
from maxcode.cli.summary import (
    check_place,
    next_commands,
    outcome_of,
    print_summary,
    save,
)
from maxcode.cli.tasks import source_of
from maxcode.cli.workers import lanes_of, line_of
from maxcode.errors import InputError, MaxcodeError
from maxcode.executors.ray.executor import RayExecutor
from maxcode.executors.ray.lanes import RayLanes
from maxcode.interfaces import Executor, Waits
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.options import Options
from maxcode.report.documents import result_document
from maxcode.search.plugins import Plugins
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.system import Interrupts
from maxcode.tasks.folder import is_project
from maxcode.tasks.project import FLAGS_FILE, ProjectTask, load_project_folder

_FLAGS = "maxcode.generators.flags:FlagsGenerator"


class RunFailedError(MaxcodeError):
    """An error after the run had begun, whatever its kind: the exit code is 3."""


def start(request: Optimize) -> int:
    """Begin a run and follow it to the summary; gives the exit code."""
    budget = Budget.parse(request.budget)
    project = load_project_folder(request.task) if is_project(request.task) else None
    request = replace(request, generator=_generator_of(request, project))
    built = Recipe.of_request(request).build(budget)
    options = search_options(request, ranked=built.reward_to_go is not None)
    recipe = built.recipe
    with Journal.open(request.store) as journal, run_loggers(recipe.log) as loggers:
        journal.check_writable()  # before a program is run for minutes to record a task
        recipe = replace(recipe, task=source_of(request))
        task = replace(built, recipe=recipe).load_task(project)
        check_place(recipe.out, task)
        options = replace(options, recipe=recipe.sealed(budget).document)
        with (
            lanes_of(None if request.dry_run else request.workers) as lanes,
            make_executor(task, built.sandbox, lanes) as executor,
        ):
            options = _threaded(options, request.threads, lanes)
            if request.dry_run:
                plugins = Plugins(built.generator, executor, built.critic, built.reward_to_go)
                print_plan(results(request.json), task, plugins, built.policy, options, budget)
                return 0
            begin = built.beginning(task, executor, journal, options, budget, loggers)
            report = partial(_report, request, budget, recipe.out)
            return _see_through(begin, built, executor, budget, report)


def _threaded(options: Options, given: int | None, lanes: RayLanes | None) -> Options:
    """With as many threads as were given, else as there are lanes, if any."""
    threads = given or (len(lanes) if lanes is not None else None)
    return replace(options, threads=threads) if threads else options


def _generator_of(request: Optimize, task: ProjectTask | None) -> str:
    """The named generator; without a name, for a project, the generators of its language."""
    if request.generator != Optimize.generator or task is None:
        return request.generator
    usual = {"rewrite": task.language == "c++", _FLAGS: FLAGS_FILE in task.baseline.files}
    found = [name for name, fits in usual.items() if fits]
    if not found:
        raise InputError(nothing_proposed(task.language or "such files"))
    words = {"rewrite": "rewrites of its C++", _FLAGS: "compiler flags"}
    tried = " and ".join(words[name] for name in found)
    say(f"without a model, {tried} are tried (--generator names a model)")
    return " + ".join(found)


def resume(request: Resume) -> int:
    """Continue a run, or reduce its best program, to the summary; gives the exit code."""
    given = Budget.parse(request.budget) if request.budget else None
    with Journal.open(request.store, create=False) as journal:
        state = RunState.load(journal.run(request.run_id))
        written = Recipe.of(state)
        budget = given or state.budget
        own = written.out if written.is_own(state.budget) else None
        out = request.out or own
        report = partial(_report, request, budget, out)
        if request.minimise is not None:
            _check_reducible(request, state)
        elif given:
            given.check_above(state.spent)
        elif state.stopped and state.stopped.status == "done":
            say(
                f"nothing is left to do: {state.stopped.reason}; "
                "to search on, give the whole run a larger --budget"
            )
            return report(state, "done")
        recipe = written.followed(request, state, budget).sealed(budget)
        built = recipe.build(budget, sandbox=request.sandbox)
        journal.check_writable()
        task = built.load_task()
        check_place(out, task)
        options = Options(recipe=recipe.changed_from(written))
        with (
            lanes_of(request.workers) as lanes,
            make_executor(task, built.sandbox, lanes) as executor,
            run_loggers(request.log or recipe.log) as loggers,
        ):
            options = _threaded(options, request.threads, lanes)
            begin = built.beginning(task, executor, state, options, given, loggers)
            return _see_through(begin, built, executor, budget, report, request.minimise)


def _check_reducible(request: Resume, state: RunState) -> None:
    """Raise :class:`InputError` where a run has no best program to reduce."""
    run_id = state.log.run_id
    if changes := given_changes(request):
        named = ", ".join(f"--{name}" for name in changes)
        raise InputError(f"--minimise reduces what run {run_id} has found; leave out {named}")
    if not state.stopped or state.stopped.status != "done":
        on = command("resume", run_id, store=request.store)
        raise InputError(f"run {run_id} is not over, and is reduced at its end: {on}")
    if not Result.of(state).improved:
        raise InputError(f"run {run_id} found nothing faster that could be reduced")
    if not request.minimise:
        raise InputError("--minimise 0 leaves the program as it is; give a share above 0")


def _report(
    request: Optimize | Resume, budget: Budget, out: str | None, state: RunState, status: str
) -> int:
    """Save the best program and print the outcome; gives the exit code.

    Raises :class:`InputError`, after printing, when it cannot be saved.
    """
    result = Result.of(state)
    path, problem = None, None
    task = str(state.started.options.recipe.get("task", "")) if state.started else ""
    if result.improved:
        try:
            path = save(result, out, project=bool(task) and is_project(task))
        except InputError as error:
            kept = command("show", result.run_id, "--patch", store=request.store)
            problem = InputError(f"{error}; the change is kept: {kept}")
    if request.json:
        print_document(result_document(result, status, path))
    else:
        run = result.run_id if isinstance(request, Resume) else ""  # a new run is the last
        following = next_commands(result, budget, request.store, run)
        print_summary(standard_output(), result, path, following)
    outcome_of(result).write(request.markdown, request.junit)
    if problem:
        raise problem
    return 0 if result.improved else 1


def _see_through(
    begin: Callable[[View], Search],
    built: Built,
    executor: Executor,
    limits: Budget,
    report: Callable[[RunState, str], int],
    reduce: float | None = None,
) -> int:
    """Search with a view of it, report whatever was found, and give the exit code.

    ``reduce`` is the share for a reduction alone.
    """
    view = View(standard_error(), limits)
    search: Search | None = None
    before = 0
    if isinstance(executor, Waits):
        executor.on_wait(view.waiting)
    models = built.generator, built.critic
    lanes = executor.lanes if isinstance(executor, RayExecutor) else None
    view.watch(
        lambda: "; ".join(filter(None, (awaited(*models), line_of(lanes) if lanes else ""))),
        lambda: trouble(*models),
    )
    with Interrupts(view.stopping, view.leave) as interrupts:
        try:
            with view.shown():
                search = begin(view)
                before = search.state.last_event
                result = search.run() if reduce is None else search.reduce(reduce)
        except Exception as error:
            if search is None or search.state.last_event == before:
                raise  # nothing was begun
            try:
                report(search.state, "failed")
            except MaxcodeError as problem:  # the failure has the last word
                say(f"error: {problem}")
            if isinstance(error, MaxcodeError):
                raise RunFailedError(str(error)) from error
            raise
        over = result.status == "done" and search.state.last_event > before
        ended = over or not interrupts.received  # a reduction may be left out
        code = report(search.state, result.status if ended else "interrupted")
    return code if ended else interrupts.exit_code or 1
