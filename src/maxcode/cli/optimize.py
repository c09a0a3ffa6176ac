"""The commands `optimize` and `resume`: a search, seen through to its summary and exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from maxcode.budget import Budget
from maxcode.cli.console import (
    command,
    print_document,
    say,
    standard_error,
    standard_output,
)
from maxcode.cli.dry_run import print_plan
from maxcode.cli.forms import check_forms
from maxcode.cli.models import awaited, trouble
from maxcode.cli.plugins import make_executor, run_loggers
from maxcode.cli.progress import Tracker, View
from maxcode.cli.recipe import Built, Recipe, given_changes, search_options
from maxcode.cli.search_commands import Optimize, Resume
from maxcode.cli.summary import (
    check_place,
    next_commands,
    outcome_of,
    print_summary,
    save_patch,
    save_program,
)
from maxcode.cli.tasks import source_of
from maxcode.cli.workers import lanes_of, line_of
from maxcode.errors import InputError, MaxcodeError
from maxcode.executors.ray.executor import RayExecutor
from maxcode.executors.ray.lanes import RayLanes
from maxcode.generators.rewrites import SOURCES
from maxcode.interfaces import Executor, Waits
from maxcode.journal.journal import Journal
from maxcode.journal.state import Observer, RunState
from maxcode.options import Options
from maxcode.report.documents import result_document
from maxcode.search.plugins import Plugins
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.system import Interrupts
from maxcode.task import Task
from maxcode.tasks.folder import is_project
from maxcode.tasks.languages import language_named
from maxcode.tasks.program import ProgramTask
from maxcode.tasks.project import FLAGS_FILE, ProjectTask, load_project_folder

_FLAGS = "maxcode.generators.flags:FlagsGenerator"


class RunFailedError(MaxcodeError):
    """An error after the run had begun, whatever its kind: the exit code is 3."""


def start(request: Optimize) -> int:
    """Begin a run and follow it to the summary; gives the exit code."""
    if request.dry_run and request.json:
        raise InputError("--dry-run prints prompts for people to read; it has no --json")
    budget = Budget.parse(request.budget)
    check_forms(request.markdown, request.junit)
    project = load_project_folder(request.task) if is_project(request.task) else None
    request = replace(request, generator=_generator_of(request, project))
    built = Recipe.of_request(request).build(budget)
    options = search_options(request, ranked=built.reward_to_go is not None)
    recipe = built.recipe
    with Journal.open(request.store) as journal, run_loggers(recipe.log, request.store) as loggers:
        journal.check_writable()  # before a program is run for minutes to record a task
        recipe = replace(recipe, task=source_of(request, small=request.small))
        task = replace(built, recipe=recipe).load_task(project)
        _check_rewritable(request, task)
        check_place(recipe.out, task)
        options = replace(options, recipe=recipe.sealed(budget).document)
        with (
            lanes_of(None if request.dry_run else request.workers) as lanes,
            make_executor(task, built.sandbox, lanes) as executor,
        ):
            options = _threaded(options, request.threads, lanes)
            if request.dry_run:
                plugins = Plugins(built.generator, executor, built.critic, built.reward_to_go)
                print_plan(standard_output(), task, plugins, built.policy, options, budget)
                return 0
            run = _Run(built, task, executor, journal, options, budget, loggers)
            return run.see_through(partial(_report, request, budget, recipe.out), budget)


def _threaded(options: Options, given: int | None, lanes: RayLanes | None) -> Options:
    """With as many threads as were given, else as there are lanes, if any."""
    threads = given or (len(lanes) if lanes is not None else None)
    return replace(options, threads=threads) if threads else options


_NAME_ONE = "name one with --generator, such as anthropic:MODEL or openai:MODEL@BASE_URL"


def _generator_of(request: Optimize, task: ProjectTask | None) -> str:
    """The named generator; without a name, for a project, the generators of its language.

    Raises :class:`InputError` where there is none.
    """
    if request.generator != Optimize.generator or task is None:
        return request.generator
    rewrites = task.language == "c++"
    flags = FLAGS_FILE in task.baseline.files
    if not (rewrites or flags):
        files = task.language or "such files"
        raise InputError(f"nothing proposes changes to {files} without a model; {_NAME_ONE}")
    tried = ["rewrites of its C++"] * rewrites + ["compiler flags"] * flags
    alone = "" if rewrites else " alone; its code is left as it is"
    say(f"without a model, {' and '.join(tried)} are tried{alone} (--generator names a model)")
    return " + ".join(["rewrite"] * rewrites + [_FLAGS] * flags)


def _check_rewritable(request: Optimize, task: Task) -> None:
    """Raise :class:`InputError` for a program that the usual generator knows no rewrite for."""
    usual = request.generator == Optimize.generator and isinstance(task, ProgramTask)
    if usual and task.language not in SOURCES:
        raise InputError(
            f"nothing proposes changes to {language_named(task.language).title} without a model; "
            f"{_NAME_ONE}, or give versions of your own: --generator pool:folder=DIR"
        )


def resume(request: Resume) -> int:
    """Continue a run, or reduce its best program, to the summary; gives the exit code."""
    given = None if request.budget is None else Budget.parse(request.budget)
    check_forms(request.markdown, request.junit)
    with Journal.open(request.store, create=False) as journal:
        state = RunState.load(journal.run(request.run_id))
        written = Recipe.of(state)
        budget = given or state.budget
        out = request.out or written.own_out(state.budget)
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
            run_loggers(request.log or recipe.log, request.store) as loggers,
        ):
            options = _threaded(options, request.threads, lanes)
            run = _Run(built, task, executor, state, options, given, loggers, request.minimise)
            return run.see_through(report, budget)


def _check_reducible(request: Resume, state: RunState) -> None:
    """Raise :class:`InputError` where a run has no best program to reduce."""
    run_id = state.log.run_id
    if changes := given_changes(request):
        raise InputError(
            f"--minimise reduces what run {run_id} has found; leave out "
            + ", ".join(f"--{name}" for name in changes)
        )
    if not state.stopped or state.stopped.status != "done":
        raise InputError(
            f"run {run_id} has not come to its end; go on with it, which reduces its best program "
            f"then: {command('resume', run_id, store=request.store)}"
        )
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
            if task and is_project(task):
                path = save_patch(result, out)
            else:
                path = save_program(result, out, request.store)
        except InputError as error:
            problem = error
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


@dataclass(frozen=True)
class _Run:
    """A search ready to begin or to continue, from a journal or a run's state."""

    built: Built
    task: Task
    executor: Executor
    journal: Journal | RunState
    options: Options
    budget: Budget | None
    observers: Sequence[Observer]
    reduce: float | None = None  # the share for a reduction alone

    def see_through(self, report: Callable[[RunState, str], int], budget: Budget) -> int:
        """Search with a view of it, report whatever was found, and give the exit code."""
        view = View(standard_error())
        search: Search | None = None
        before = 0
        if isinstance(self.executor, Waits):
            self.executor.on_wait(view.waiting)
        models = self.built.generator, self.built.critic
        view.watch(self._under_way, lambda: trouble(*models))
        with Interrupts(view.stopping, view.leave) as interrupts:
            try:
                with view:
                    tracker = Tracker(budget, view.show)
                    view.doing("building, checking and timing the baseline")
                    search = self._search(tracker)
                    before = search.state.last_event
                    result = search.run() if self.reduce is None else search.reduce(self.reduce)
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

    def _under_way(self) -> str:
        """The state of models and of other machines' lanes, in a line."""
        texts = [awaited(self.built.generator, self.built.critic)]
        if isinstance(self.executor, RayExecutor):
            texts.append(line_of(self.executor.lanes))
        return "; ".join(filter(None, texts))

    def _search(self, tracker: Tracker) -> Search:
        built = self.built
        return Search(
            self.task,
            generator=built.generator,
            executor=self.executor,
            critic=built.critic,
            reward_to_go=built.reward_to_go,
            policy=built.policy,
            budget=self.budget,
            journal=self.journal,
            options=self.options,
            observers=[tracker, *self.observers],
        )
