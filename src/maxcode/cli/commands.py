"""Dataclasses of commands without a search.

Docstrings hold the options; see :mod:`maxcode.cli.parameters`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from maxcode.cli.parameters import Box, Count, MaybeTimeout, Natural, Share, Timeout
from maxcode.options import FUZZ, MINIMISE

RECORDING = ("language", "flags", "check", "tolerance", "timeout")
"""Options for recording a program."""


@dataclass(frozen=True, kw_only=True)
class TaskArgs:
    """A task: its folder, or a program that is recorded on its inputs.

    Options:
        flags TEXT: With --inputs: the flags for the compiler.
        timeout SECONDS: With --inputs: the longest time for an input.
    """

    task: str
    inputs: list[str] | None = None
    language: str | None = None
    flags: str = "-O3 -std=c++17"
    check: str = "tokens"
    tolerance: float = 1e-06
    timeout: Timeout = 10.0

    @property
    def wishes(self) -> dict[str, object]:
        """The options for recording a program that are not at their defaults."""
        given = ((name, getattr(self, name)) for name in RECORDING)
        return {name: value for name, value in given if value != getattr(TaskArgs, name)}


@dataclass(frozen=True)
class Show:
    """Show the result of a run, or one of its steps.

    Options:
        step N: A step in full: diffs, feedback, samples.
        answer: With --step: the prompt and answer of the model that made the step.
        diff A B: The difference between any two steps; 0 is the baseline.
        every --all: List all steps, not only the best.
        patch: Print the change as a patch and nothing else, byte for byte.
    """

    run_id: str = "last"
    step: int | None = None
    answer: bool = False
    diff: tuple[int, int] | None = None
    every: bool = False
    patch: bool = False
    store: str | None = None
    json: bool = False


@dataclass(frozen=True)
class Runs:
    """List runs, newest first.

    Options:
        limit N: Number of runs to list.
    """

    limit: Count = 20
    store: str | None = None
    json: bool = False


@dataclass(frozen=True)
class Init:
    """Make a task of a program and its inputs, of a project, or of a kernel.

    A program of one or more files runs twice on every input, and its output becomes the
    expected output. Of a project the commands are found out, run once, and written to its
    task.toml. A kernel's reference is copied.

    Args:
        sources SOURCE...: The files or folder of a program, the folder of a project, or a kernel's
            reference. (default: this folder)

    Options:
        out FOLDER: For a program or a kernel: the folder to make.
        name TEXT: The task's name. (default: the program's)
        flags TEXT: Flags for the compiler. (default: -O3 -std=c++17; a project's own)
        timeout SECONDS: For an input, or a project's benchmark. (default: 10; 60 for a project)
        command 'COMMAND': For a project: a command to make faster. Repeatable. (default: found out)
        outputs FILE: With --command: a file that the command writes, to be compared.
        format NAME: How the benchmark's output is read, as in task.toml. (default: found out)
        setup 'COMMAND': For a project: run once before building; '' for none. (default: found out)
        build 'COMMAND': For a project: builds it; '' for none. (default: found out)
        test 'COMMAND': For a project: the command that tests it; '' for none. (default: found out)
        editable 'GLOB': For a project: what may be changed. Repeatable. (default: its sources)
    """

    sources: list[str] | None = None
    out: str | None = None
    inputs: list[str] | None = None
    language: str | None = None
    name: str | None = None
    check: str | None = None
    tolerance: float = 1e-06
    flags: str | None = None
    timeout: MaybeTimeout = None
    meter: str | None = None
    command: list[str] | None = None
    outputs: list[str] | None = None
    format: str | None = None
    setup: str | None = None
    build: str | None = None
    test: str | None = None
    editable: list[str] | None = None
    small: bool = False


@dataclass(frozen=True)
class Verify:
    """Measure a change of a project, or the result of a run, once more against the original.

    Tests, benchmarks and build files stay the original's. Exit codes: 0 faster, 1 no faster, 2
    wrong usage, 3 slower than no_regression allows, 4 broken (build or tests), 5 undecided.

    Args:
        source CHANGE|RUN: A..B, A...B (from the merge base), a branch, a commit (against its
            parent), a folder (against HEAD), a patch, - (a patch from standard input), or a run.

    Options:
        task FOLDER: For a patch or commits: the project's folder.
        expect TEXT: Speedup to end with 0: faster, 'not slower' or '>=1.1'.
        their_tests: Run the change's tests and benchmarks, on both sides.
        seconds S: For a project: time of measuring at most; it ends as soon as it is decided.
    """

    source: str = "last"
    task: str = "."
    expect: str = "faster"
    their_tests: bool = False
    seconds: Annotated[float, typer.Option(min=0.1)] = 60.0
    markdown: str | None = None
    junit: str | None = None
    sandbox: Box | None = None
    store: str | None = None
    json: bool = False


@dataclass(frozen=True, kw_only=True)
class Judge(TaskArgs):
    """Judge existing programs, without any search.

    A PROGRAM is a file, a patch, or a folder of files. The exit code says only whether all were
    judged; a gate is maxcode verify.

    Args:
        task TASK: mytask/, slow.py, reference.py
        programs PROGRAM...: Programs to judge.

    Options:
        audit: Whether a kernel TASK is passed without computing, as by zeros; judges no program.
        mode strict|kernelbench|both: Rules for kernels; both shows where the verdicts differ.
            (default: the task's)
    """

    programs: list[str] | None = None
    audit: bool = False
    mode: Literal["strict", "kernelbench", "both"] | None = None
    markdown: str | None = None
    junit: str | None = None
    json: bool = False
    sandbox: Box | None = None


@dataclass(frozen=True, kw_only=True)
class Fuzz(TaskArgs):
    """Compare a program with a task's own on generated inputs.

    The exit code is 1 where the two differ, or no input could be tried.

    Args:
        program PROGRAM: The file to compare.

    Options:
        count N: Number of inputs.
        seconds S: Time after which no further input is begun, once the tests have passed.
        seed N: The same seed makes the same inputs.
        save FILE: Write the smallest input found on which they differ.
    """

    program: str
    count: Count = 500
    seconds: Annotated[float, typer.Option(min=0.1)] = 60.0
    seed: int = 0
    save: str | None = None
    sandbox: Box | None = None
    json: bool = False


@dataclass(frozen=True)
class Merge:
    """Copy all runs of several stores into one, such as those of the parts of a comparison.

    A run in both stores is continued where the other store has more of it.

    Args:
        stores FROM...: Files or SQLAlchemy URLs.
    """

    stores: list[str]
    store: str | None = None


@dataclass(frozen=True)
class Check:
    """Verify every event, program and text of every run of a store; copy what is whole to another.

    The exit code is 1 for any damage. The store stays as it is: of each run the events before the
    first damaged event are copied.

    Args:
        store STORE: A file or a SQLAlchemy URL. (default: runs.db in your data folder)

    Options:
        out STORE: A new store for all that is whole.
    """

    store: str | None = None
    out: str | None = None


@dataclass(frozen=True)
class Export:
    """Write runs as tables for other tools: runs, steps and calls.

    Args:
        run_ids RUN...: Ids of runs, starts of ids, or 'last'.

    Options:
        to FORMAT: jsonl, csv; sft, dpo, trajectories (data sets to train models on).
        out DIR: The folder of the files.
        texts: Include prompts, answers and programs in full.
        force: Replace the files of an earlier export.
    """

    out: str
    run_ids: list[str] | None = None
    to: Literal["jsonl", "csv", "sft", "dpo", "trajectories"] = "jsonl"
    every: bool = False
    texts: bool = False
    force: bool = False
    store: str | None = None


@dataclass(frozen=True)
class Report:
    """Write runs as a page of HTML that opens offline.

    Several runs are compared side by side.

    Options:
        out FILE: The page; an existing file is overwritten.
        details N: Number of steps with code, prompts and answers: the best, and a sample of others.
    """

    run_ids: list[str] | None = None
    out: str = "report.html"
    details: Count = 500
    store: str | None = None


@dataclass(frozen=True)
class View:
    """Look at runs in a browser, live. Nothing is ever written.

    Options:
        host ADDRESS: Address to listen at. Beyond this machine readers need a token.
        port N: Port to listen at; 0 for any free port.
        token TEXT: Token of readers. (default: none on this machine, else a new one)
    """

    host: str = "127.0.0.1"
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8321
    token: str | None = None
    store: str | None = None


@dataclass(frozen=True, kw_only=True)
class Mcp(TaskArgs):
    """Let coding agents have programs judged, as a server of the Model Context Protocol.

    Options:
        run --continue RUN: Go on with this run of the task. (default: a new run)
        http PORT: Serve HTTP at this port of 127.0.0.1 (0: any free port), with the token in
            MAXCODE_MCP_TOKEN or a new one. (default: standard input and output)
    """

    budget: str = "evaluations=40"
    run: str | None = None
    http: Annotated[int | None, typer.Option(min=0, max=65535)] = None
    fuzz: Natural = FUZZ
    minimise: Share = MINIMISE
    sandbox: Box | None = None
    store: str | None = None


@dataclass(frozen=True)
class Doctor:
    """Check this machine, and say how to install what is missing; or try a project's task.toml.

    Args:
        task FOLDER: A project, to be built, tested and measured as its task.toml says.

    Options:
        workers [ADDRESS]: List the timing lanes of a Ray cluster: ray, HOST:PORT, ray://HOST:PORT.
        trust: Follow this folder's maxcode.toml, shown here, from now on.
    """

    task: str | None = None
    trust: bool = False
    workers: str | None = None
    json: bool = False


@dataclass(frozen=True)
class RtgDataset:
    """Make a dataset for training from the runs in stores, split by task.

    Options:
        out DIR: The folder to make.
        store URL: A store of runs. Repeatable. (default: a SQLite file in your data folder)
        returns max|sum: The best reward still to come, or the discounted sum of all.
        gamma X: The discount of a step, in (0, 1].
        edges 0,X,...: Lower edges of the bins of speedups. (default: 0,.5,.9,1.1,1.5,2,3,5,10)
        held_out SHARE: The share of tasks that is kept from training.
        hold TASK: Hold out this task instead, by its name. Repeatable.
        seed N: Seed of the choice of tasks held out.
        force: Replace the dataset that is in DIR already.
    """

    out: str
    store: list[str] | None = None
    returns: Literal["max", "sum"] = "max"
    gamma: float = 1.0
    edges: str | None = None
    held_out: float = 0.2
    hold: list[str] | None = None
    seed: int = 0
    force: bool = False


@dataclass(frozen=True)
class RtgTrain:
    """Train a model on a dataset, and save it.

    A language model takes the extras reward-to-go and transformers; begin the command by
    `accelerate launch -m maxcode.cli.main` for several GPUs.

    Options:
        model NAME: features; or a language model's folder, or its name on the Hugging Face hub,
            with options as in weights/,epochs=2,batch=4: epochs, batch, accumulate, learning_rate,
            rank (of the adapter), full (all weights), context, evaluate_every, patience.
        data DIR: The dataset.
        out DIR: The folder to make.
        resume: Go on from the last checkpoint.
        force: Replace the model that is in DIR already.
    """

    model: str
    data: str
    out: str
    seed: int = 0
    resume: bool = False
    force: bool = False


@dataclass(frozen=True)
class RtgEvaluate:
    """Measure how well models predict, on stored runs; without a model, the runs' own estimates.

    Options:
        model MODEL: As --reward-to-go of optimize. Repeatable. (default: the runs' own estimates)
        store URL: A store of runs. Repeatable. (default: a SQLite file in your data folder)
        data DIR: A dataset: use only the tasks that it keeps from training.
    """

    model: list[str] | None = None
    store: list[str] | None = None
    data: str | None = None
    json: bool = False
