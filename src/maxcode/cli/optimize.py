"""The commands `optimize` and `resume`: a search, seen through to its summary and exit code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import sqlalchemy as sa

from maxcode.budget import Budget
from maxcode.cli.compare_commands import CompareArgs
from maxcode.cli.console import (
    Interrupts,
    check_place,
    save_program,
    standard_error,
    standard_output,
)
from maxcode.cli.dry_run import print_plan
from maxcode.cli.export import absolute_logger, run_loggers
from maxcode.cli.models import ModelConfig, absolute_prompts, absolute_similar
from maxcode.cli.plugins import (
    check_estimates,
    check_generator,
    make_critic,
    make_generator,
    make_policy,
    make_reward_to_go,
    saved_identity,
    with_absolute_paths,
)
from maxcode.cli.progress import Tracker, View, make_view
from maxcode.cli.recipe import Recipe
from maxcode.cli.search_commands import Optimize, Resume
from maxcode.cli.sources import choose_sandbox, executor_for, task_source
from maxcode.cli.summary import print_document, print_next, print_summary, result_document
from maxcode.errors import InputError, MaxcodeError
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.journal.store import runs
from maxcode.measure.meters import meter
from maxcode.observation import Observe
from maxcode.options import Options
from maxcode.report.estimates import estimate_facts
from maxcode.search.plugins import Plugins
from maxcode.search.result import Result
from maxcode.search.search import Search


@dataclass(frozen=True)
class _Report:
    """How the user wants to be told."""

    budget: Budget
    out: str | None
    store: str | None
    json: bool

    def __call__(self, state: RunState, status: str) -> None:
        """Save what was found and print the outcome.

        Raises :class:`InputError`, after printing, when it cannot be saved.
        """
        result = Result.of(state)
        path, problem = None, None
        if result.improved:
            try:
                path = save_program(result, self.out)
            except InputError as error:
                problem = error
        if self.json:
            print_document(result_document(result, status, path))
        else:
            console = standard_output()
            print_summary(console, result, path, estimate_facts(state))
            print_next(console, result, self.budget, self.store)
        if problem:
            raise problem


class RunFailedError(MaxcodeError):
    """An error after the run had begun, whatever its kind: the exit code is 3."""


def start(request: Optimize) -> int:
    """Begin a run and see it through; gives the exit code."""
    budget = Budget.parse(request.budget)
    model_config = ModelConfig(
        absolute_prompts(request.prompts),
        _absolute(request.prices),
        budget,
        request.context,
        absolute_similar(request.similar),
    )
    generator, policy = make_generator(request.generator, model_config), make_policy(request.policy)
    critic = make_critic(request.critic, model_config)
    model_config.check_shown(generator, critic)
    model = make_reward_to_go(request.reward_to_go, model_config)
    check_estimates(policy, model)
    options = Options(
        seed=request.seed,
        observe=None if request.observe is None else Observe.parse(request.observe),
        in_flight=request.in_flight,
        cache=request.cache,
    )
    options = Ranking.of(request, models=model is not None).applied(options)
    if request.dry_run and request.json:
        raise InputError("--dry-run prints prompts for people to read; it has no --json")
    if request.meter is not None:
        meter(request.meter)  # raises for an unknown one
    sandbox = choose_sandbox(request.sandbox, generator, standard_error(), [request.task])
    with (
        Journal.open(request.store) as journal,
        run_loggers(map(absolute_logger, request.log or ())) as loggers,
    ):
        _check_writable(journal)  # before a program is run for minutes to record a task
        recipe = Recipe(
            task=task_source(request.task, request.inputs or (), standard_error()),
            generator=request.generator,
            policy=request.policy,
            critic=request.critic,
            reward_to_go=with_absolute_paths(request.reward_to_go),
            reward_to_go_id=saved_identity(request.reward_to_go),
            meter=request.meter,
            sanitize=request.sanitize,
            sandbox=request.sandbox,
            out=_absolute(request.out),
            prompts=model_config.prompts,
            similar=model_config.similar,
            similar_id=model_config.similar_id,
            context=model_config.context,
            prices=model_config.prices,
            cache=request.cache,
            log=tuple(map(absolute_logger, request.log or ())),
        )
        task = recipe.load_task()
        check_generator(generator, task)
        check_place(recipe.out, task.baseline)
        options = replace(options, recipe=recipe.model_dump(mode="json"))

        with executor_for(task, sandbox) as executor:
            if request.dry_run:
                plugins = Plugins(generator, executor, critic, model)
                print_plan(standard_output(), task, plugins, policy, options, budget)
                return 0

            def begin(tracker: Tracker, view: View) -> Search:
                view.doing("building, checking and timing the baseline")
                return Search(
                    task,
                    generator=generator,
                    executor=executor,
                    critic=critic,
                    reward_to_go=model,
                    policy=policy,
                    budget=budget,
                    journal=journal,
                    options=_threaded(options, request.threads),
                    observers=[tracker, *loggers],
                )

            return _see_through(begin, _Report(budget, recipe.out, request.store, request.json))


def resume(request: Resume) -> int:
    """Take a run up again and see it through; gives the exit code."""
    given = None if request.budget is None else Budget.parse(request.budget)
    with Journal.open(request.store, create=False) as journal:
        log = journal.run(request.run_id)
        state = RunState.load(log)
        recipe = Recipe.of(state)
        if given:
            given.check_above(state.spent)
        report = _Report(
            given or state.budget, request.out or recipe.out, request.store, request.json
        )
        if given is None and state.stopped and state.stopped.status == "done":
            standard_error().print(
                f"nothing is left to do: {state.stopped.reason}; "
                "to search on, give the whole run a larger --budget"
            )
            result = Result.of(state)
            report(state, result.status)
            return _code(result)
        model_config = ModelConfig(
            recipe.prompts, recipe.prices, given or state.budget, recipe.context, recipe.similar
        )
        generator, policy = (
            make_generator(recipe.generator, model_config),
            make_policy(recipe.policy),
        )
        critic = make_critic(recipe.critic, model_config)
        model = make_reward_to_go(recipe.reward_to_go, model_config)
        recipe.check_model(saved_identity(recipe.reward_to_go), log.run_id)
        recipe.check_similar(model_config.similar_id, log.run_id)
        _check_writable(journal)
        sandbox = choose_sandbox(
            request.sandbox or recipe.sandbox, generator, standard_error(), [recipe.task]
        )
        task = recipe.load_task()
        check_place(report.out, task.baseline)
        with (
            executor_for(task, sandbox) as executor,
            run_loggers(request.log or recipe.log) as loggers,
        ):

            def again(tracker: Tracker, view: View) -> Search:
                view.doing("building, checking and timing the baseline")
                return Search(
                    task,
                    generator=generator,
                    executor=executor,
                    critic=critic,
                    reward_to_go=model,
                    policy=policy,
                    budget=given,
                    journal=log,
                    options=_threaded(Options(cache=recipe.cache), request.threads),
                    observers=[tracker, *loggers],
                )

            return _see_through(again, report)


def _see_through(make: Callable[[Tracker, View], Search], report: _Report) -> int:
    """Run a search with a view of it, report whatever it found, and give the exit code."""
    view = make_view(standard_error() if report.json else standard_output())
    search: Search | None = None
    before = 0
    with Interrupts(view.stopping, view.leave) as interrupts:
        try:
            with view:
                search = make(Tracker(report.budget, view.show), view)
                before = search.state.last_event
                result = search.run()
        except Exception as error:
            if search is None or search.state.last_event == before:
                raise  # nothing was begun
            _report_failure(search, report)
            if isinstance(error, MaxcodeError):
                raise RunFailedError(str(error)) from error
            raise
        report(search.state, "interrupted" if interrupts.received else result.status)
    return interrupts.exit_code or _code(result)


def _report_failure(search: Search, report: _Report) -> None:
    """Report what there is; if even that fails, say so and leave the last word to the failure."""
    try:
        report(search.state, "failed")
    except MaxcodeError as problem:
        standard_error().print(f"error: {problem}", soft_wrap=True)


def _check_writable(journal: Journal) -> None:
    """Raise :class:`~maxcode.errors.JournalError` if the store is one that may only be read."""
    with journal.store.transaction() as connection:
        connection.execute(sa.delete(runs).where(sa.false()))  # nothing, but it asks to write


def _absolute(path: str | None) -> str | None:
    return path and str(Path(path).absolute())


def _code(result: Result) -> int:
    return 0 if result.improved else 1


def _threaded(options: Options, threads: int | None) -> Options:
    return options if threads is None else replace(options, threads=threads)


@dataclass(frozen=True)
class Ranking:
    """How many of the proposed candidates are run, as the user said it; None is the default."""

    propose: int | None = None
    run: int | None = None
    explore: float | None = None
    guard: bool | None = None

    @classmethod
    def of(cls, request: Optimize | CompareArgs, *, models: bool) -> Ranking:
        """As asked for. Raises :class:`InputError` when there is nobody who ranks."""
        given = cls(request.propose, request.run, request.explore, request.rtg_guard or None)
        flags = {
            "--propose": given.propose,
            "--run": given.run,
            "--explore": given.explore,
            "--rtg-guard": given.guard,
        }
        named = [flag for flag, value in flags.items() if value is not None]
        if named and not models:
            raise InputError(
                f"{named[0]} goes with a reward-to-go model; name one with --reward-to-go, "
                "or leave it out"
            )
        return given

    def applied(self, options: Options) -> Options:
        """The options with these in their places. Raises :class:`InputError`."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        return replace(options, **given)
