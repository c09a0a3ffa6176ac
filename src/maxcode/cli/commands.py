"""The commands that do not search, as dataclasses: Typer makes options of their fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from maxcode.cli import parameters
from maxcode.cli.parameters import AllRuns, Inputs, Isolation, Json, Meter, Run, Store
from maxcode.options import FUZZ, MINIMISE

_WRITING = "With --write"


@dataclass(frozen=True)
class Show:
    """Show what a run has found, or one of its steps."""

    run_id: Run = "last"
    step: Annotated[
        int | None,
        typer.Option(metavar="N", help="Everything about one step: diffs, feedback, samples."),
    ] = None
    answer: Annotated[
        bool,
        typer.Option(
            "--answer", help="With --step: the prompt and the model's answer that it was made of."
        ),
    ] = False
    diff: Annotated[
        tuple[int, int] | None,
        typer.Option(
            metavar="A B", help="The difference between any two steps; 0 is the baseline."
        ),
    ] = None
    every: Annotated[bool, typer.Option("--all", help="List all steps, not only the best.")] = False
    patch: Annotated[
        bool,
        typer.Option(
            "--patch", help="Print what was found as a patch and nothing else, byte for byte."
        ),
    ] = False
    branch: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of a project: commit what was found on a new branch of its git repository.",
        ),
    ] = None
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
    """Make a task of a C++ program and its inputs, of a project, or of a kernel.

    A program of one or more files runs twice on every input, and what it prints becomes the
    expected output; headers beside it are found. A folder with --inputs is a program, too. Of a
    project the commands are found out, run once, and written to its task.toml. A kernel's
    reference in KernelBench's format, or a definition of FlashInfer-Bench or SOL-ExecBench with its
    workloads, is copied; nothing is run.
    """

    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SLOW.CPP...|FOLDER|REFERENCE.PY|DEFINITION.JSON",
            help="The program's files, its folder, the project's folder, a kernel's reference, or "
            "a definition.",
            show_default="this folder",
        ),
    ] = None
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="For a program or a kernel: the folder to make.",
            show_default="none; a project's task.toml is written to its own folder",
        ),
    ] = None
    inputs: Inputs = None
    name: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The task's name.", show_default="the program's"),
    ] = None
    check: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="How outputs are compared: tokens, lines, exact, numbers, unordered, "
            "sorted:FIELD or program:FILE.",
            show_default="tokens; exact for a project",
        ),
    ] = None
    tolerance: Annotated[
        float, typer.Option(metavar="X", help="With --check numbers: how far two may differ.")
    ] = 1e-6
    flags: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="For the compiler.",
            show_default="-O3 -std=c++17; a project's own",
        ),
    ] = None
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="The longest that one input, or a project's benchmark command, may take.",
            show_default="10; 60 for a project",
        ),
    ] = None
    meter: Meter = None
    command: Annotated[
        list[str] | None,
        typer.Option(
            "--command",
            metavar="'COMMAND'",
            help="For a project: what is to become faster, run in its folder; timed as a whole, "
            "with what it prints compared. May be given several times.",
            show_default="the project's benchmark",
        ),
    ] = None
    outputs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE", help="With --command: a file that it writes, which is compared."
        ),
    ] = None
    setup: Annotated[
        str | None,
        typer.Option(
            metavar="'COMMAND'",
            help="For a project: what is run once, before it is built; '' for nothing.",
            show_default="found out",
        ),
    ] = None
    build: Annotated[
        str | None,
        typer.Option(
            metavar="'COMMAND'",
            help="For a project: what builds it; '' for nothing.",
            show_default="found out",
        ),
    ] = None
    test: Annotated[
        str | None,
        typer.Option(
            metavar="'COMMAND'",
            help="For a project: what tests it; '' for nothing.",
            show_default="found out",
        ),
    ] = None
    editable: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'GLOB'",
            help="For a project: which files may be changed, as in 'src/**'. May be given several "
            "times.",
            show_default="its sources",
        ),
    ] = None


@dataclass(frozen=True)
class Verify:
    """Measure a patch, or what a run found, once more against the original.

    It is built and tested as in a search, and measured with fresh samples. The exit code is 1
    where it is not faster.
    """

    source: Annotated[
        str, typer.Argument(metavar="PATCH|RUN", help="A patch of a project, or a run's id.")
    ] = "last"
    task: Annotated[
        str, typer.Option(metavar="FOLDER", help="For a patch: the project's folder.")
    ] = "."
    sandbox: Isolation = None
    store: Store = None
    json: Json = False


@dataclass(frozen=True)
class Judge:
    """Judge existing programs, without any search.

    TASK is a task folder, a kernel's reference or definition, or with --level the root of
    KernelBench. A PROGRAM is a file, a solution.json, or a folder of files.

    With --audit no program is run: zeros, constants and copies of an input are tried on each TASK,
    or on all tasks of a folder, to show which kernel tasks are passed without computing.
    """

    task: Annotated[str, typer.Argument(metavar="TASK", help="mytask/, reference.py")]
    programs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROGRAM...", help="Programs to judge; with --audit further tasks to audit."
        ),
    ] = None
    audit: Annotated[
        bool,
        typer.Option("--audit", help="Audit kernel tasks instead of judging programs."),
    ] = False
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="strict|kernelbench|flashinfer-bench|sol-execbench|both",
            help="For kernels: by whose rules. Both shows where the verdicts differ, and why.",
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
    small: parameters.Small = False
    eval_results: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Add KernelBench's verdicts to its eval_results.json; its own names say which. "
            "Of a definition: write a trace for each workload, as JSON lines.",
        ),
    ] = None
    json: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write all verdicts, samples included."),
    ] = None
    sandbox: Isolation = None


@dataclass(frozen=True)
class Fuzz:
    """Compare a program with a task's own on inputs that are made of the task's.

    The exit code is 1 where the two differ, or nothing could be tried.

    With --write a model is asked for a program that makes further inputs of a C++ task; searches
    compare would-be bests with the original on such inputs. It is tried in the sandbox, and
    written only if the original ends well on most of what it makes.
    """

    task: Annotated[str, typer.Argument(metavar="TASK", help="mytask/ or slow.cpp")]
    program: Annotated[
        str | None, typer.Argument(metavar="PROGRAM", help="The file to compare.")
    ] = None
    inputs: Inputs = None
    count: Annotated[
        int, typer.Option(min=1, metavar="N", help="On how many inputs the two are compared.")
    ] = 500
    seconds: Annotated[
        float,
        typer.Option(
            min=0.1,
            metavar="S",
            help="After how long no further input is begun, once the tests have passed.",
        ),
    ] = 60.0
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed makes the same inputs.")] = 0
    save: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the smallest input found on which they differ."),
    ] = None
    write: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Write a program that makes inputs, with anthropic:MODEL, openai:MODEL@URL or "
            "hf:FOLDER, instead of comparing.",
            rich_help_panel=_WRITING,
        ),
    ] = None
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Where the program is written.",
            show_default="make.cpp in the task",
            rich_help_panel=_WRITING,
        ),
    ] = None
    attempts: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Answers asked for at most.", rich_help_panel=_WRITING
        ),
    ] = 3
    prices: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help=parameters.PRICES,
            show_default="prices.toml in your configuration folder",
            rich_help_panel=_WRITING,
        ),
    ] = None
    sandbox: Isolation = None
    json: Json = False


@dataclass(frozen=True)
class Merge:
    """Copy all runs of several stores into one, such as those of the parts of a comparison.

    A run that is in both is continued where the other store has more of it.
    """

    stores: Annotated[
        list[str], typer.Argument(metavar="FROM...", help="Files or SQLAlchemy URLs.")
    ]
    store: Store = None


@dataclass(frozen=True)
class Check:
    """Verify a store: every event, program and text of every run is what was written.

    The exit code is 1 where one is not.
    """

    store: Annotated[
        str | None,
        typer.Argument(
            metavar="STORE",
            help="A file or a SQLAlchemy URL.",
            show_default="runs.db in your data folder",
        ),
    ] = None


@dataclass(frozen=True)
class Repair:
    """Copy what is whole of a damaged store into a new one.

    Of each run these are the events before the first damaged one. The old store stays as it is.
    """

    store: Annotated[
        str, typer.Argument(metavar="STORE", help="The damaged one: a file or a SQLAlchemy URL.")
    ]
    out: Annotated[str, typer.Option(metavar="STORE", help="The new one.")]


@dataclass(frozen=True)
class Efficiency:
    """Effi-Learner's metrics of runs: time and memory of what they found and of the baseline."""

    run_ids: parameters.Runs = None
    every: AllRuns = False
    clock: Annotated[
        str | None,
        typer.Option(
            metavar="cpu|wall",
            help="Which times to show: processor time, or elapsed time, as published.",
            show_default="what the run was judged by",
        ),
    ] = None
    store: Store = None
    json: Json = False


@dataclass(frozen=True)
class Critiques:
    """What critics were worth: advice followed, steps that gained, and the cost of a gain."""

    run_ids: parameters.Runs = None
    every: AllRuns = False
    store: Store = None
    json: Json = False


@dataclass(frozen=True)
class Lessons:
    """Keep what changes gained in earlier runs, to show it to models with --lessons FILE.

    Without a RUN it prints what the file has.
    """

    file: Annotated[str, typer.Argument(metavar="FILE", help="Where they are kept, as JSON.")]
    run_ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN...", help="Runs to learn from: ids, starts of ids, or 'last'."),
    ] = None
    every: AllRuns = False
    remove: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Remove a lesson for good. May be given several times."),
    ] = None
    store: Store = None
    json: Json = False


@dataclass(frozen=True)
class Export:
    """Write runs as tables for other tools: runs, steps, calls, timings, comparisons.

    Or log finished runs to TensorBoard, Weights & Biases or MLflow.
    """

    run_ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN...", help="Ids of runs, starts of ids, or 'last'."),
    ] = None
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help="jsonl, parquet or csv; solution, for the best program as a solution.json of its "
            "task's definition; or tensorboard:DIR, wandb:PROJECT, mlflow:URI.",
        ),
    ] = "jsonl"
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="DIR", help="The folder of the files."),
    ] = None
    every: AllRuns = False
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

    run_ids: parameters.Runs = None
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="FILE", help="Where; what is there is overwritten."),
    ] = "report.html"
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Of the page.", show_default="the names of the tasks"),
    ] = None
    details: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="How many steps have their code, prompts and answers in the page: the path to the "
            "best, the fastest, and a sample of the others.",
        ),
    ] = 500
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
            help="What readers must give to see anything.",
            show_default="none on this machine, else a new one, printed",
        ),
    ] = None
    open_browser: Annotated[bool, typer.Option("--open", help="Open a browser.")] = False
    store: Store = None


@dataclass(frozen=True)
class Mcp:
    """Let coding agents have programs judged, as a server of the Model Context Protocol.

    One server is one TASK and one run. It talks over standard input and output, or over HTTP on
    this machine.
    """

    task: Annotated[str, typer.Argument(metavar="TASK", help="mytask/ or slow.cpp")]
    inputs: Inputs = None
    budget: Annotated[
        str,
        typer.Option(
            metavar="LIMITS", help="What submissions may spend, such as evaluations=40,seconds=900."
        ),
    ] = "evaluations=40"
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Go on with this run of the task.",
            show_default="a new one",
        ),
    ] = None
    http: Annotated[
        int | None,
        typer.Option(
            "--http",
            min=0,
            max=65535,
            metavar="PORT",
            help="Serve HTTP at this port of 127.0.0.1 (0: any that is free), with the token in "
            "the variable MAXCODE_MCP_TOKEN, or else a new one, printed.",
            show_default="standard input and output",
        ),
    ] = None
    fuzz: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Compare a would-be best on N generated inputs; see optimize."
        ),
    ] = FUZZ
    minimise: parameters.Minimise = MINIMISE
    sandbox: Isolation = None
    store: Store = None


@dataclass(frozen=True)
class Doctor:
    """Show what this machine can do, and what to install for the rest."""

    gpu: Annotated[
        bool,
        typer.Option(
            "--gpu",
            help="Measure the GPU instead: clocks, launches, L2 cache, noise; a few seconds.",
        ),
    ] = False
    workers: Annotated[
        str | None,
        typer.Option(
            metavar="[ADDRESS]",
            help="List the timing lanes of a Ray cluster instead, and what is wrong with those "
            "that cannot be used: ray (this machine's cluster, else a local one; meant without an "
            "address), HOST:PORT or ray://HOST:PORT.",
        ),
    ] = None
    json: Json = False
