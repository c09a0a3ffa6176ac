"""Letting methods compete on tasks: what `compare` and `bench` do once they know the tasks."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from maxcode.budget import Budget
from maxcode.cli.compare_commands import Contended
from maxcode.cli.compare_files import Files
from maxcode.cli.compare_tables import print_contest
from maxcode.cli.console import standard_error, standard_output
from maxcode.cli.interrupts import Interrupts
from maxcode.cli.isolation import choose_sandbox, executor_for
from maxcode.cli.methods import critic_of, methods_of
from maxcode.cli.models import Backing
from maxcode.cli.plugins import check_generator, make_critic, make_generator
from maxcode.cli.ranking import Ranking
from maxcode.cli.recipe import judged
from maxcode.comparing.contest import Contest, Failure
from maxcode.comparing.method import ranked_pairs
from maxcode.comparing.outcome import Outcome
from maxcode.comparing.plan import Plan, Shard
from maxcode.comparing.published import PublishedTable
from maxcode.comparing.running import Running
from maxcode.interfaces import Executor
from maxcode.journal import Journal
from maxcode.options import Options
from maxcode.sandbox.base import Sandbox
from maxcode.task import Task
from maxcode.telling.words import counted, dollars, duration, factor

_STOPPING = "stopping what is under way; once more to leave at once\n"


def _nothing(*_: object) -> tuple[()]:
    return ()


@dataclass(frozen=True)
class Match:
    """What is to compete, and what a benchmark adds to what any comparison tells and writes.

    ``sources`` are where the tasks were read from, as far as that matters. ``write`` gives the
    paths that it wrote.
    """

    tasks: Sequence[Task]
    sources: Sequence[str] = ()
    tables: Callable[[Contest], Sequence[PublishedTable]] = _nothing
    write: Callable[[Contest, Journal], Sequence[Path]] = _nothing


def contend(request: Contended, match: Match) -> int:
    """Make the runs that are missing and tell the outcome; gives the exit code.

    A dry run makes none, and writes no file but those of ``--json`` and ``--csv``.
    """
    messages = standard_error()
    files = Files.of(replace(request, out=None, plot=None) if request.dry_run else request)
    plan = _plan(request, match, messages)
    code = 0
    with Journal.open(request.store) as journal:
        running = Running(plan, journal, request.jobs)
        if request.dry_run:
            found: list[Outcome | Failure] = list(running.finished())
        else:
            found, code = _run(running, messages)
        contest = Contest.of(plan, found)
        written = () if request.dry_run else match.write(contest, journal)
    effects = contest.effects(plan.methods[1:]) if request.ablate else []
    ranked = contest.contrasts([([one], [other]) for one, other in ranked_pairs(plan.methods)])
    tables = match.tables(contest)
    print_contest(standard_output(), contest, effects=effects, ranked=ranked, tables=tables)
    for path in (*files.save(contest, [*effects, *ranked], tables), *written):
        messages.print(f"wrote {path}", soft_wrap=True)
    _print_rest(request, contest, messages)
    return code or (1 if contest.failures else 0)


def _run(running: Running, messages: Console) -> tuple[list[Outcome | Failure], int]:
    """The outcome of every run, told as it comes, and the exit code of an interruption."""
    found: list[Outcome | Failure] = []
    total = counted(len(running.cells), "run")
    if known := running.known:
        messages.print(f"{known} of {total} are in the store, finished or to be gone on with")
    with Interrupts(_say_stopping, lambda: None) as interrupts:
        try:
            with closing(running.outcomes()) as outcomes:
                for number, outcome in enumerate(outcomes, 1):
                    found.append(outcome)
                    messages.print(f"{number} of {total}: {_told(outcome)}", soft_wrap=True)
        except KeyboardInterrupt:
            pass
    return found, interrupts.exit_code or 0


def _plan(request: Contended, match: Match, messages: Console) -> Plan:
    budget = Budget.parse(request.budget)
    backing = Backing(request.prompts, request.prices, budget, request.context, request.similar)
    generator = make_generator(request.generator, backing)
    critic = make_critic(critic_of(request), backing)
    backing.check_shown(generator, critic)
    for task in match.tasks:
        check_generator(generator, task)
    methods = methods_of(request, backing, generator, critic)
    options = Options(threads=max(1, (os.cpu_count() or 1) // request.jobs))
    ranked = any(method.reward_to_go for method in methods)
    options = Ranking.of(request, models=ranked).applied(options)
    sandbox = choose_sandbox(request.sandbox, generator, messages, match.sources)
    if budget.seconds is not None and request.jobs > 1:
        messages.print(
            "note: runs that share the machine wait for one another, and their seconds go on; "
            "with --jobs 1 a budget in seconds is fairer"
        )
    return Plan.fair(
        methods,
        [judged(task, request.meter) for task in match.tasks],
        generator=generator,
        executor=_executors(sandbox),
        critic=critic,
        seeds=request.seeds,
        budget=budget,
        options=options,
        shard=Shard.parse(request.shard) if request.shard else Shard(),
    )


def _executors(sandbox: Sandbox) -> Callable[[Task], AbstractContextManager[Executor]]:
    def executor(task: Task) -> AbstractContextManager[Executor]:
        return executor_for(task, sandbox)

    return executor


def _print_rest(request: Contended, contest: Contest, messages: Console) -> None:
    """What is still to be done, and how."""
    total = counted(contest.planned, "run")
    part = f" of part {request.shard}" if request.shard else ""
    if request.dry_run:
        rest = counted(contest.missing, "run")
        messages.print(
            f"{len(contest.outcomes)} of {total}{part} are done; {rest} missing, each of which may "
            f"spend {contest.budget}",
            soft_wrap=True,
        )
    elif contest.missing or contest.failures:
        messages.print(
            f"{len(contest.outcomes)} of {total}{part} done; the same command makes the others, "
            "and none of these again",
            soft_wrap=True,
        )
    elif request.shard:
        messages.print(
            f"part {request.shard} is done; when all are, put their stores together with maxcode "
            "merge, and run the same command without --shard for the tables of the whole",
            soft_wrap=True,
        )


def _told(outcome: Outcome | Failure) -> str:
    where = f"{outcome.method}, {outcome.task}, seed {outcome.seed}"
    if isinstance(outcome, Failure):
        return f"{where}: failed: {outcome.message}"
    spent = outcome.spent
    paid = f", {dollars(spent.dollars)}" if spent.dollars else ""
    return (
        f"{where}: {factor(outcome.speedup)} after "
        f"{counted(spent.evaluations, 'evaluation')}, {duration(spent.seconds)}{paid}"
    )


def _say_stopping() -> None:
    os.write(2, _STOPPING.encode())  # safe between any two instructions
