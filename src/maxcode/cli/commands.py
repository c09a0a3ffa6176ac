"""The commands: what can be said on the command line.

A command is a dataclass, and Typer makes its options of the fields. Who does it stands in
:mod:`maxcode.cli.main`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from maxcode.cli.compare_commands import BenchCommand, Compare
from maxcode.cli.parameters import Inputs, Isolation, Json, Meter, Run, Store
from maxcode.cli.rtg_commands import RtgCommand
from maxcode.cli.search_commands import Optimize, Resume


@dataclass(frozen=True)
class Show:
    """Show what a run has found, or one of its steps."""

    run_id: Run = "last"
    step: Annotated[
        int | None,
        typer.Option(metavar="N", help="Everything about one step: diffs, feedback, samples."),
    ] = None
    every: Annotated[bool, typer.Option("--all", help="List all steps, not only the best.")] = False
    store: Store = None
    json: Json = False


@dataclass(frozen=True)
class Runs:
    """List runs, newest first."""

    limit: Annotated[int, typer.Option(min=1, metavar="N", help="How many to list.")] = 20
    store: Store = None
    json: Json = False


@dataclass(frozen=True)
class Init:
    """Make a task folder of a C++ program and the inputs it shall become faster on.

    The program runs twice on every input; what it prints is from then on what is right.
    """

    source: Annotated[str, typer.Argument(metavar="SLOW.CPP", help="The program.")]
    out: Annotated[str, typer.Option(metavar="FOLDER", help="The folder to make.")]
    inputs: Inputs = None
    name: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The task's name.", show_default="the program's"),
    ] = None
    check: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="How outputs are compared: tokens, lines, exact or numbers."
        ),
    ] = "tokens"
    tolerance: Annotated[
        float, typer.Option(metavar="X", help="With --check numbers: how far two may differ.")
    ] = 1e-6
    flags: Annotated[str, typer.Option(metavar="TEXT", help="For g++.")] = "-O3 -std=c++17"
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="The most that one input may take.")
    ] = 10.0
    meter: Meter = None


@dataclass(frozen=True)
class Judge:
    """Judge programs that are there, without any search.

    TASK is a task folder, a kernel's reference, or with --level the root of KernelBench. A PROGRAM
    is a file, or a folder of them.
    """

    task: Annotated[str, typer.Argument(metavar="TASK", help="mytask/, reference.py")]
    programs: Annotated[list[str], typer.Argument(metavar="PROGRAM...", help="What to judge.")]
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="strict|kernelbench|both",
            help="For kernels: by whose rules. Both tells where the verdicts differ, and why.",
            show_default="the task's",
        ),
    ] = None
    level: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="TASK is KernelBench's root: judge each level_N_problem_P_sample_S_kernel.py "
            "against its own problem.",
        ),
    ] = None
    eval_results: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Add KernelBench's verdicts to its eval_results.json; its own names say which.",
        ),
    ] = None
    json: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write all evaluations, samples included."),
    ] = None
    sandbox: Isolation = None


@dataclass(frozen=True)
class Audit:
    """Say which kernel tasks would be passed without computing anything.

    That is by zeros, by a constant or by a copy of an input. No candidate is run.
    """

    tasks: Annotated[
        list[str],
        typer.Argument(
            metavar="FOLDER...",
            help="A task, a folder of tasks, a reference.py or one of KernelBench's levels.",
        ),
    ]
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="strict|kernelbench", help="By whose rules.", show_default="the task's"
        ),
    ] = None
    sandbox: Isolation = None
    json: Json = False


@dataclass(frozen=True)
class Merge:
    """Copy all runs of several stores into one, such as those of the parts of a comparison.

    A run that is there already is gone on with where the other has more of it.
    """

    stores: Annotated[
        list[str], typer.Argument(metavar="FROM...", help="Files or SQLAlchemy URLs.")
    ]
    store: Store = None


@dataclass(frozen=True)
class Efficiency:
    """Effi-Learner's metrics of runs: time and memory of what they found, beside the baseline's."""

    run_ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN...", help="Ids of runs, starts of ids, or 'last'.", show_default="last"
        ),
    ] = None
    every: Annotated[bool, typer.Option("--all", help="All runs of the store.")] = False
    clock: Annotated[
        str | None,
        typer.Option(
            metavar="cpu|wall",
            help="What times are by: processor time, or the time on the clock, as published.",
            show_default="what the run was judged by",
        ),
    ] = None
    store: Store = None
    json: Json = False


@dataclass(frozen=True)
class Export:
    """Write runs as tables for other tools: runs, steps, calls, timings, comparisons.

    Or log runs that are over to TensorBoard, Weights & Biases or MLflow.
    """

    run_ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN...", help="Ids of runs, starts of ids, or 'last'."),
    ] = None
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help="jsonl, parquet or csv; or tensorboard:DIR, wandb:PROJECT, mlflow:URI.",
        ),
    ] = "jsonl"
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="DIR", help="The folder of the files."),
    ] = None
    every: Annotated[bool, typer.Option("--all", help="All runs of the store.")] = False
    texts: Annotated[
        bool, typer.Option("--texts", help="With prompts, answers and programs in full.")
    ] = False
    force: Annotated[
        bool, typer.Option("--force", help="Replace the files of an earlier export.")
    ] = False
    store: Store = None


@dataclass(frozen=True)
class Report:
    """Write runs as a page of HTML that opens offline: what was found, and how.

    Several runs are compared side by side.
    """

    run_ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN...", help="Ids of runs, starts of ids, or 'last'.", show_default="last"
        ),
    ] = None
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="FILE", help="Where; what is there is overwritten."),
    ] = "report.html"
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Of the page.", show_default="the names of the tasks"),
    ] = None
    store: Store = None


@dataclass(frozen=True)
class View:
    """Look at runs in a browser, live. Nothing is ever written."""

    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where to listen. Beyond this machine readers need a token.",
        ),
    ] = "127.0.0.1"
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="0 takes any that is free.")
    ] = 8321
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="What readers have to know.",
            show_default="none on this machine, else a new one, printed",
        ),
    ] = None
    open_browser: Annotated[bool, typer.Option("--open", help="Open a browser.")] = False
    store: Store = None


@dataclass(frozen=True)
class Doctor:
    """Say what this machine can do, and what to install for the rest."""


Command = (
    Optimize
    | Resume
    | Show
    | Runs
    | Init
    | Judge
    | Audit
    | Compare
    | BenchCommand
    | Merge
    | Efficiency
    | Export
    | Report
    | View
    | Doctor
    | RtgCommand
)
