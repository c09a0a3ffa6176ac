"""The commands `compare` and `bench`: methods x tasks x seeds at an equal budget."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from maxcode.budget import Budget
from maxcode.cli.commands import (
    BenchCoffe,
    BenchEffiBench,
    BenchKernelBench,
    BenchPie,
    Compare,
    CompareArgs,
)
from maxcode.cli.console import (
    announce_stop,
    as_json,
    check_writable,
    figure_table,
    print_document,
    results,
    say,
    titled,
)
from maxcode.cli.forms import Outcome as Told
from maxcode.cli.forms import Row
from maxcode.cli.methods import critic_of, methods_of
from maxcode.cli.models import ModelConfig
from maxcode.cli.plugins import check_generator, make_critic, make_executor, make_generator
from maxcode.cli.recipe import measured_by, search_options
from maxcode.cli.tasks import choose_sandbox, load_source, sandbox_named, sources_of
from maxcode.cli.workers import lanes_of
from maxcode.comparison.contest import (
    SIGNIFICANT,
    THRESHOLDS,
    Contest,
    Difference,
    Failure,
    Standing,
    missed,
    with_interval,
)
from maxcode.comparison.documents import document, table
from maxcode.comparison.kernelbench import Problem, write_kernelbench
from maxcode.comparison.method import CONTROL, Plan
from maxcode.comparison.outcome import Outcome
from maxcode.comparison.published import (
    PublishedTable,
    kernelbench_table,
    maxcode_table,
    pie_table,
)
from maxcode.comparison.running import Running
from maxcode.errors import InputError
from maxcode.executors.program.published import load_coffe, load_effibench
from maxcode.executors.ray.lanes import RayLanes
from maxcode.files import write_text
from maxcode.interfaces import Executor, Generator
from maxcode.journal.journal import Journal
from maxcode.sandbox.base import Sandbox
from maxcode.system import Interrupts
from maxcode.task import Task
from maxcode.tasks.kernel import KernelJudging
from maxcode.tasks.kernelbench import load_kernelbench
from maxcode.tasks.pie import load_pie
from maxcode.text import counted, dollars, duration, factor, percent, price, quantity


def compare(request: Compare) -> int:
    """Make missing runs and print the outcome; gives the exit code."""
    sources = [source for name in request.tasks for source in sources_of(name)]
    return run_comparison(request, [load_source(source) for source in sources], sources)


_Tables = Callable[[Contest], Sequence[PublishedTable]]
_Write = Callable[[Contest, Journal], Sequence[Path]]


def run_comparison(
    request: CompareArgs,
    tasks: Sequence[Task],
    sources: Sequence[str] = (),
    tables: _Tables = lambda _: (),
    write: _Write = lambda *_: (),
) -> int:
    """Make missing runs and print the outcome; gives the exit code.

    A dry run makes none, and writes nothing. ``sources`` are the places of the tasks, where they
    matter; ``tables`` and ``write`` add the tables and files of a benchmark.
    """
    out = Path(request.out).absolute() if request.out and not request.dry_run else None
    if out:
        check_writable(out)
    code = 0
    with lanes_of(None if request.dry_run else request.workers) as lanes:
        plan = _plan(request, tasks, sources, lanes)
        with Journal.open(request.store) as journal:
            running = Running(plan, journal, request.jobs)
            if request.dry_run:
                found: list[Outcome | Failure] = list(running.finished())
            else:
                found, code = _run(running)
            contest = Contest.of(plan, found)
            written = [] if request.dry_run else [*write(contest, journal)]
    if request.against == _ALL:
        title, against = "Each against each", contest.all_pairs()
    else:
        title = f"Against {request.against}"
        against = contest.differences(request.against) if request.against else []
    effects = contest.effects(plan.methods[1:]) if request.ablate else []
    lists = {
        f"Against {contest.control}": contest.differences(),
        title: against,
        "What each switch is worth": effects,
    }
    published = tables(contest)
    _print_contest(results(request.json), contest, lists, published)
    told = document(contest, effects, published, against)
    if request.json:
        print_document(told)
    _outcome_of(contest).write(request.markdown, request.junit)
    if out:
        write_text(out / "comparison.json", as_json(told) + "\n")
        write_text(out / "runs.csv", table(contest))
        written = [out / "comparison.json", out / "runs.csv", *written]
    for path in written:
        say(f"wrote {path}")
    done = f"{len(contest.outcomes)} of {counted(contest.planned, 'run')}"
    missing = counted(contest.missing, "run")
    if request.dry_run:
        say(f"{done} are done; {missing} missing, each of which may spend {contest.budget}")
    elif contest.missing or contest.failures:
        say(f"{done} done; the same command makes the others, and none of these again")
    return code or (1 if contest.failures else 0)


_ALL = "all"


def _plan(
    request: CompareArgs, tasks: Sequence[Task], sources: Sequence[str], lanes: RayLanes | None
) -> Plan:
    budget = Budget.parse(request.budget)
    models = ModelConfig(request, budget)
    generator = make_generator(request.generator, models)
    critic = make_critic(critic_of(request), models)
    methods = methods_of(request, models, generator, critic)
    own = (one.generator for one in methods)
    generators = [generator, *(one for one in own if isinstance(one, Generator))]
    for task in tasks:
        for one in generators:
            check_generator(one, task)
    known = dict.fromkeys([CONTROL, *(method.name for method in methods), _ALL])
    if request.against not in (None, *known):
        raise InputError(
            f"--against {request.against}: no such method takes part; there are: {', '.join(known)}"
        )
    options = search_options(request, ranked=any(method.reward_to_go for method in methods))
    untrusted = next((one for one in generators if not one.trusted), generator)
    sandbox = choose_sandbox(request.sandbox, untrusted, sources)
    at_a_time = (os.cpu_count() or 1) if lanes is None else len(lanes)
    return Plan.fair(
        methods,
        [measured_by(task, request.meter) for task in tasks],
        generator=generator,
        executor=_executors(sandbox, lanes),
        critic=critic,
        seeds=request.seeds,
        budget=budget,
        options=replace(options, threads=max(1, at_a_time // request.jobs)),
    )


def _executors(
    sandbox: Sandbox, lanes: RayLanes | None
) -> Callable[[Task], AbstractContextManager[Executor]]:
    # The qualified name is part of the identity by which the runs of older comparisons are found.
    def executor(task: Task) -> AbstractContextManager[Executor]:
        return make_executor(task, sandbox, lanes)

    return executor


def _run(running: Running) -> tuple[list[Outcome | Failure], int]:
    """The outcome of every run, printed as it comes, and the exit code of an interruption."""
    found: list[Outcome | Failure] = []
    total = counted(len(running.cells), "run")
    if known := running.known:
        say(f"{known} of {total} are in the store, finished or to be continued")
    with (
        Interrupts(announce_stop) as interrupts,
        suppress(KeyboardInterrupt),
        closing(running.outcomes()) as outcomes,
    ):
        for number, outcome in enumerate(outcomes, 1):
            found.append(outcome)
            say(f"{number} of {total}: {_in_a_line(outcome)}")
    return found, interrupts.exit_code or 0


def _in_a_line(outcome: Outcome | Failure) -> str:
    where = f"{outcome.method}, {outcome.task}, seed {outcome.seed}"
    if isinstance(outcome, Failure):
        return f"{where}: failed: {outcome.message}"
    spent = outcome.spent
    paid = f", {dollars(spent.dollars)}" if spent.dollars else ""
    return (
        f"{where}: {factor(outcome.speedup)} after "
        f"{counted(spent.evaluations, 'evaluation')}, {duration(spent.seconds)}{paid}"
    )


def kernelbench(request: BenchKernelBench) -> int:
    """Compare methods on problems of KernelBench; gives the exit code."""
    levels = _numbers("--level", request.level)
    ids = None if request.ids is None else _numbers("--ids", request.ids)
    if ids is not None and len(levels) > 1:
        raise InputError("--ids are numbers of one level; give one --level with them")
    load = partial(load_kernelbench, request.root, ids=ids, small=request.small)
    tasks = [task for level in levels for task in load(level, KernelJudging(mode=request.mode))]
    out = Path(request.eval_results).absolute() if request.eval_results else None
    if out:
        check_writable(out)
    return run_comparison(
        request,
        tasks,
        tables=lambda contest: _by_level(contest, tasks),
        write=lambda contest, journal: write_kernelbench(contest, journal, out) if out else (),
    )


def pie(request: BenchPie) -> int:
    """Compare methods on programs of PIE; gives the exit code."""
    tasks = load_pie(request.data, request.tests, limit=request.limit, notes=_note)
    return run_comparison(request, tasks, tables=lambda c: [pie_table(c), maxcode_table(c)])


def coffe(request: BenchCoffe) -> int:
    """Compare methods on functions of COFFE or EffiBench; gives the exit code."""
    ids = None if request.ids is None else [one.strip() for one in request.ids.split(",")]
    load = load_effibench if isinstance(request, BenchEffiBench) else load_coffe
    tasks = load(request.data, sandbox_named(request.sandbox), ids=ids, notes=_note)
    return run_comparison(request, tasks, tables=lambda contest: [maxcode_table(contest)])


def _note(note: str) -> None:
    say(f"note: {note}")


def _by_level(contest: Contest, tasks: Sequence[Task]) -> list[PublishedTable]:
    """Both tables of each level: published tables never mix levels."""
    levels: dict[int, list[str]] = {}
    for task in tasks:
        levels.setdefault(Problem.of(task.name).level, []).append(task.name)
    return [
        make(contest.only(names), f"level {level}")
        for level, names in levels.items()
        for make in (kernelbench_table, maxcode_table)
    ]


def _numbers(option: str, text: str) -> list[int]:
    """``1,19,30-39`` as numbers, each once. Raises :class:`InputError`."""
    found: dict[int, None] = {}
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        numbers = range(int(match[1]), int(match[2] or match[1]) + 1) if match else ()
        if not numbers:
            raise InputError(f"{option} takes numbers as in 1,19,30-39, not {part!r}")
        found.update(dict.fromkeys(numbers))
    return list(found)


_Columns = Mapping[str, Callable[[Standing], str]]


def _share(p: float) -> Callable[[Standing], str]:
    return lambda one: percent(one.fast[p].value)


_STANDINGS: dict[str, _Columns] = {
    "": {
        "geometric mean": lambda one: with_interval(one.geometric_mean, unit="x"),
        "median": lambda one: with_interval(one.median, unit="x"),
        "rank": lambda one: with_interval(one.rank, 1),
    },
    "Share of runs that are correct, and faster than p (fast_p)": {
        "correct": lambda one: percent(one.correct.value),
        **{f"> {p:g}": _share(p) for p in THRESHOLDS[1:]},
        "%Opt": lambda one: percent(one.optimised.value),
    },
    "What a run cost, on average": {
        "runs": lambda one: str(one.runs),
        "evaluations": lambda one: f"{one.evaluations:.1f}",
        "tokens": lambda one: f"{one.tokens:,.0f}",
        "dollars": lambda one: price(one.dollars, one.unpriced),
        "time": lambda one: duration(one.seconds),
    },
}
"""Figures of each method by the title of their table."""


def _print_contest(
    console: Console,
    contest: Contest,
    differences: Mapping[str, Sequence[Difference]],
    tables: Sequence[PublishedTable],
) -> None:
    """Print all tables, and further lists of differences by their titles."""
    for published in tables:
        if published.rows:
            console.print(titled(published.heading, _published(published)))
    if standings := contest.standings():
        for title, columns in _STANDINGS.items():
            rows = [[one.method, *(show(one) for show in columns.values())] for one in standings]
            table = figure_table(("method", *columns), rows)
            console.print(titled(title, table) if title else table)
        if taken := _efficiency(contest):
            console.print(titled("What the programs take (Effi-Learner)", taken))
        for title, found in differences.items():
            if found:
                console.print(titled(title))
            for one in found:
                style = "bold" if one.real else "" if one.corrected <= SIGNIFICANT else "dim"
                console.print(Padding(Text(str(one), style), (0, 0, 0, 2)))
    _print_basis(console, contest)


def _outcome_of(contest: Contest) -> Told:
    """The comparison for a comment or a file of tests: methods, and failed runs."""
    rows = [
        Row(one.method, (with_interval(one.geometric_mean, unit="x"), str(one.runs)))
        for one in contest.standings()
    ]
    failed = [
        Row(f"{one.method}, {one.task}, seed {one.seed}", (one.message, ""), "failed")
        for one in contest.failures
    ]
    said = (
        f"{one.method} against {contest.control}: {one.verdict}" for one in contest.differences()
    )
    return Told(
        "compare",
        "comparison",
        f"{len(contest.outcomes)} of {counted(contest.planned, 'run')}",
        failure="failed" if failed else "",
        columns=("method", "geometric mean", "runs"),
        rows=[*failed, *rows],
        facts=[*said, f"budget: {contest.budget}"],
    )


_OVERHEAD = {"ET": ("time", "s"), "MU": ("peak_memory", "B"), "TMU": ("memory_integral", "MB*s")}
"""Effi-Learner's figures, each with a normalised one: attribute and unit."""


def _efficiency(contest: Contest) -> Table | None:
    """Effi-Learner's figures of each method, as its paper has them; None where none was measured.

    The ratios of totals, of its scripts, are in the JSON object.
    """
    names = [each for name in _OVERHEAD for each in (name, f"N{name}")]
    rows = []
    for method, found in contest.efficiency().items():
        row = [method]
        for name, unit in _OVERHEAD.values():
            one = found[name]
            row += [quantity(one.program, unit) if one else "-"]
            row += [f"{one.mean_of_ratios.value:.2f}" if one else "-"]
        rows += [row] if any(found.values()) else []
    return figure_table(("method", *names), rows) if rows else None


def _published(table: PublishedTable) -> Table:
    names = ("method", "counted", *table.columns)
    return figure_table(names, ((row.method, row.counted, *table.cells(row)) for row in table.rows))


def _print_basis(console: Console, contest: Contest) -> None:
    """Print the size of the comparison, its tests and power, and what makes it unequal."""
    pairs, tasks = len(contest.pairs), len({task for task, _ in contest.pairs})
    on = counted(tasks, "task")
    console.print(
        f"\n{counted(pairs, 'pair')} of a task and a seed, on {on}, budget {contest.budget}. A "
        "program that is wrong or not faster counts as 1.0x."
    )
    if pairs > 1:
        drawn = "tasks resampled" if tasks > 1 else "seeds resampled: they speak of this task only"
        console.print(
            f"In brackets: 95 % intervals, {drawn}. p: of signs of pairs, each seed a look; for a "
            "real difference the t-test over tasks, too; corrected for their number (Holm)."
        )
    elif pairs:
        console.print("A single pair says nothing about chance, so there are no intervals.")
    if pairs and (found := [one.detectable for one in contest.differences()]):
        seeds = counted(len({seed for _, seed in contest.pairs}), "seed")
        power = missed(found, f" from {contest.control}")
        console.print(f"Power: with {seeds} on {on} {power}.")
    for name in contest.left_out:
        console.print(f"left out: {name}, of which no run came to its end", style="yellow")
    for early in contest.ended_early:
        console.print(f"note: {early}")
    alike = Counter((one.method, one.message) for one in contest.failures)
    for (method, message), count in alike.items():
        failed = f"failed, {counted(count, 'run')} of {method}, whose pairs are left out: {message}"
        console.print(failed, style="red")
