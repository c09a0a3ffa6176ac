"""The commands: what can be said on the command line.

A command is a dataclass, and Typer makes its options of the fields. Who does it stands in
:mod:`maxcode.cli.main`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from maxcode.cli.parameters import Inputs, Isolation, Json, Meter, Run, Store
from maxcode.cli.rtg_commands import RtgCommand
from maxcode.cli.search_commands import Compare, Optimize, Resume


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
class Doctor:
    """Say what this machine can do, and what to install for the rest."""


Command = Optimize | Resume | Show | Runs | Init | Judge | Audit | Compare | Doctor | RtgCommand
