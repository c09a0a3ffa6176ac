"""The command `compare`: methods x tasks x seeds at an equal budget, and what may be concluded."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from maxcode.budget import Budget
from maxcode.cli.compare_commands import Compare, CompareArgs
from maxcode.cli.console import (
    Interrupts,
    check_writable,
    figure_table,
    standard_error,
    standard_output,
    titled,
)
from maxcode.cli.efficiency import of_methods
from maxcode.cli.methods import critic_of, methods_of
from maxcode.cli.models import ModelConfig
from maxcode.cli.optimize import Ranking
from maxcode.cli.plugins import check_generator, make_critic, make_generator
from maxcode.cli.recipe import judged
from maxcode.cli.sources import choose_sandbox, executor_for, load_source, task_source
from maxcode.comparison.contest import THRESHOLDS, Contest, Difference, Failure, Standing
from maxcode.comparison.documents import document, table
from maxcode.comparison.method import Plan, Shard, ranked_pairs
from maxcode.comparison.outcome import Outcome
from maxcode.comparison.plots import check_plots, save_plots
from maxcode.comparison.published import Figure, Kind, PublishedTable
from maxcode.comparison.running import Running
from maxcode.errors import InputError
from maxcode.files import write_text
from maxcode.interfaces import Executor
from maxcode.journal.journal import Journal
from maxcode.measure.statistics import Estimate
from maxcode.options import Options
from maxcode.sandbox.base import Sandbox
from maxcode.task import Task
from maxcode.text import counted, dollars, duration, factor, percent, price

_TASK = "task.toml"
_KERNEL = ".py"


def compare(request: Compare) -> int:
    """Make the runs that are missing, tell the outcome, and give the exit code."""
    messages = standard_error()
    sources = [source for name in request.tasks for source in sources_of(name, messages)]
    return run_comparison(request, Match([load_source(source) for source in sources], sources))


def sources_of(name: str, messages: Console) -> Iterator[str]:
    """The tasks that an argument stands for: itself, or those in a folder of tasks."""
    path = Path(name)
    if not path.is_dir() or (path / _TASK).is_file():
        yield task_source(name, (), messages)
        return
    inside = [p for p in sorted(path.iterdir()) if (p / _TASK).is_file()]
    inside = inside or sorted(path.glob(f"[!_]*{_KERNEL}"))
    if not inside:
        raise InputError(
            f"{path} holds no tasks: they are folders with a {_TASK}, or files in KernelBench's "
            "format"
        )
    for one in inside:
        yield task_source(str(one), (), messages)


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


def run_comparison(request: CompareArgs, match: Match) -> int:
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


def _plan(request: CompareArgs, match: Match, messages: Console) -> Plan:
    budget = Budget.parse(request.budget)
    model_config = ModelConfig(
        request.prompts, request.prices, budget, request.context, request.similar
    )
    generator = make_generator(request.generator, model_config)
    critic = make_critic(critic_of(request), model_config)
    model_config.check_shown(generator, critic)
    for task in match.tasks:
        check_generator(generator, task)
    methods = methods_of(request, model_config, generator, critic)
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


def _print_rest(request: CompareArgs, contest: Contest, messages: Console) -> None:
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


@dataclass(frozen=True)
class Files:
    """The files that were asked for."""

    json: Path | None
    csv: Path | None
    plots: Path | None

    @classmethod
    def of(cls, request: CompareArgs) -> Files:
        """As asked for. Raises before anything runs if one can be neither drawn nor written."""
        out = _path(request.out)
        files = cls(
            json=_path(request.json) or (out and out / "comparison.json"),
            csv=_path(request.csv) or (out and out / "runs.csv"),
            plots=_path(request.plot) or out,
        )
        if files.plots:
            check_plots()
        for folder in filter(None, (out, files.plots)):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"cannot make the folder {folder}: {error.strerror}") from error
        for file in filter(None, (files.json, files.csv)):
            check_writable(file)
        return files

    def save(
        self,
        contest: Contest,
        effects: Sequence[Difference],
        tables: Sequence[PublishedTable] = (),
    ) -> Iterator[Path]:
        """Write all of them; gives each that was written."""
        if self.json:
            told = json.dumps(document(contest, effects, tables), indent=2, ensure_ascii=False)
            write_text(self.json, told + "\n")
            yield self.json
        if self.csv:
            write_text(self.csv, table(contest))
            yield self.csv
        if self.plots and contest.pairs:
            yield from save_plots(contest, self.plots)


def _path(name: str | None) -> Path | None:
    return Path(name).absolute() if name else None


_NOT_TOLD_APART = "not told apart"
_WIDE = 26  # columns beyond which a name is broken


def print_contest(
    console: Console,
    contest: Contest,
    *,
    effects: Sequence[Difference] = (),
    ranked: Sequence[Difference] = (),
    tables: Sequence[PublishedTable] = (),
) -> None:
    """All that a reader needs: figures, differences, what is missing.

    ``effects`` are those of an ablation's switches, ``ranked`` those of reward-to-go models, and
    ``tables`` those of published work.
    """
    for one in (one for one in tables if one.rows):
        console.print(titled(f"{one.title} ({counted(one.runs, 'run')} of each method)"))
        console.print(_published(one))
    standings = contest.standings()
    if standings:
        console.print(_speedups(standings))
        console.print(titled("Share of runs that are correct, and faster than p (fast_p)"))
        console.print(_shares(standings))
        console.print(titled("What a run cost, on average"))
        console.print(_costs(standings))
        if (taken := of_methods(contest.efficiency())) is not None:
            console.print(titled("What the programs take (Effi-Learner)", taken))
        _print_differences(console, f"Against {contest.control}", contest.differences())
        _print_differences(console, "What each switch is worth", effects)
        _print_differences(console, "What the reward-to-go model is worth", ranked)
    _print_basis(console, contest)


def _published(table: PublishedTable) -> Table:
    drawn = figure_table("method", "counted", *(column.name for column in table.columns))
    last = ""
    for row in table.rows:
        figures = [
            _figure(figure, column.kind)
            for column, figure in zip(table.columns, row.figures, strict=True)
        ]
        drawn.add_row(_named(row.method) if row.method != last else "", row.counted, *figures)
        last = row.method
    return drawn


def _figure(figure: Figure | None, kind: Kind) -> str:
    if figure is None:
        return "-"
    plain = figure if isinstance(figure, float) else figure.value
    if kind == "share":
        return percent(plain)
    if isinstance(figure, float):
        return f"{figure:.2f}x" if kind == "factor" else f"{figure:.2f}"
    if kind == "factor":
        return _factor(figure)
    return f"{figure.value:.2f} [{figure.low:.2f}, {figure.high:.2f}]"


def _speedups(standings: Sequence[Standing]) -> Table:
    table = figure_table("method", "geometric mean", "median", "rank")
    for one in standings:
        ranked = f"{one.rank.value:.1f} [{one.rank.low:.1f}, {one.rank.high:.1f}]"
        figures = (_factor(one.geometric_mean), _factor(one.median), ranked)
        table.add_row(_named(one.method), *figures)
    return table


def _shares(standings: Sequence[Standing]) -> Table:
    table = figure_table("method", "correct", *(f"> {p:g}" for p in THRESHOLDS[1:]), "%Opt")
    for one in standings:
        shares = [one.correct, *(one.fast[p] for p in THRESHOLDS[1:]), one.optimised]
        table.add_row(_named(one.method), *(percent(share.value) for share in shares))
    return table


def _costs(standings: Sequence[Standing]) -> Table:
    table = figure_table("method", "runs", "evaluations", "tokens", "dollars", "time")
    for one in standings:
        table.add_row(
            _named(one.method),
            str(one.runs),
            f"{one.evaluations:.1f}",
            f"{one.tokens:,.0f}",
            price(one.dollars, one.unpriced),
            duration(one.seconds),
        )
    return table


def _print_differences(console: Console, title: str, found: Sequence[Difference]) -> None:
    if not found:
        return
    console.print(titled(title))
    for one in found:
        style = "dim" if one.verdict == _NOT_TOLD_APART else "bold" if one.real else ""
        console.print(Padding(Text(str(one), style), (0, 0, 0, 2)))


def _print_basis(console: Console, contest: Contest) -> None:
    tasks = len({task for task, _ in contest.pairs})
    console.print(
        f"\n{counted(len(contest.pairs), 'pair')} of a task and a seed, on {counted(tasks, 'task')}"
        f", budget {contest.budget}. A program that is wrong or not faster counts as 1.0x."
    )
    if contest.pairs:
        drawn = "tasks resampled" if tasks > 1 else "seeds resampled: they speak of this task only"
        console.print(
            f"In brackets: 95 % intervals, {drawn}. p: a t-test over tasks where a difference is "
            "real, else a permutation test over pairs; corrected for their number (Holm)."
        )
    if len(contest.pairs) == 1:
        console.print("A single pair says nothing about chance: the intervals are empty.")
    _print_unequal(console, contest)
    alike = Counter((one.method, one.message) for one in contest.failures)
    for (method, message), count in alike.items():
        console.print(f"failed, {counted(count, 'run')} of {method}: {message}", style="red")


def _print_unequal(console: Console, contest: Contest) -> None:
    """What keeps the comparison from being an equal one."""
    for name in contest.left_out:
        console.print(f"left out: {name}, of which no run came to its end", style="yellow")
    failed = {one.method for one in contest.failures} - set(contest.left_out)
    if failed:
        console.print(
            f"pairs on which {', '.join(sorted(failed))} failed are left out, which favours it",
            style="yellow",
        )
    for name in contest.methods:
        ended = [one for one in contest.outcomes if one.method == name]
        early = Counter(one.reason for one in ended if not one.reason.startswith("budget spent"))
        for reason, count in early.most_common(1):
            runs = counted(len(ended), "run")
            told = f"note: {early.total()} of {runs} of {name} ended before the budget was spent"
            console.print(f"{told}; most often ({count}): {reason}")


def _named(method: str) -> Text:
    """A method's name, broken before what is shown where it would not fit beside figures."""
    return Text(method.replace("@", "\n@") if len(method) > _WIDE else method)


def _factor(estimate: Estimate) -> str:
    return f"{estimate.value:.2f}x [{estimate.low:.2f}, {estimate.high:.2f}]"
