"""Dataclasses of commands: their arguments and options.

Docstrings hold the help texts; see :mod:`maxcode.cli.parameters`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

import typer

from maxcode.cli.parameters import (
    Box,
    Count,
    MaybeCount,
    MaybeNatural,
    MaybeShare,
    MaybeTimeout,
    Natural,
    Share,
    Timeout,
)
from maxcode.observation import Design
from maxcode.options import FUZZ, MINIMISE

BUDGET = "evaluations=40"
"""Budget of a new run."""

RECORDING = ("language", "flags", "check", "tolerance", "timeout")
"""Options for recording a program."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """Commands for a store of runs."""

    store: str | None = None


@dataclass(frozen=True, kw_only=True)
class Told:
    """Commands with an outcome in other forms."""

    markdown: str | None = None
    junit: str | None = None
    json: bool = False


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


@dataclass(frozen=True, kw_only=True)
class Show(Stored):
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
    json: bool = False


@dataclass(frozen=True, kw_only=True)
class Runs(Stored):
    """List runs, newest first.

    Options:
        limit N: Number of runs to list.
    """

    limit: Count = 20
    json: bool = False


@dataclass(frozen=True, kw_only=True)
class Init:
    """Make a task of a program and its inputs, of a project, or of a kernel.

    A program's outputs become the expected outputs. Of a project the commands are found out, run
    once, and written to its task.toml. A kernel's reference is copied.

    Args:
        sources SOURCE...: The files or folder of a program, the folder of a project, or a kernel's
            reference. (default: this folder)

    Options:
        out FOLDER: For a program or a kernel: the folder to make.
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


@dataclass(frozen=True, kw_only=True)
class Verify(Told, Stored):
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
    sandbox: Box | None = None


@dataclass(frozen=True, kw_only=True)
class Judge(TaskArgs, Told):
    """Judge existing programs, without any search. A gate by exit code is maxcode verify.

    Args:
        task TASK: mytask/, slow.py, reference.py
        programs PROGRAM...: Files, patches, or folders of files.

    Options:
        audit: Whether a kernel TASK is passed without computing, as by zeros; judges no program.
        mode strict|kernelbench|both: Rules for kernels; both shows where the verdicts differ.
            (default: the task's)
    """

    programs: list[str] | None = None
    audit: bool = False
    mode: Literal["strict", "kernelbench", "both"] | None = None
    sandbox: Box | None = None


@dataclass(frozen=True, kw_only=True)
class Fuzz(TaskArgs):
    """Compare a program with a task's own on generated inputs; the exit code is 1 if they differ.

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


@dataclass(frozen=True, kw_only=True)
class Merge(Stored):
    """Copy all runs of several stores into one; of a run in both the longer stays.

    Args:
        stores FROM...: Files or SQLAlchemy URLs.
    """

    stores: list[str]


@dataclass(frozen=True, kw_only=True)
class Check(Stored):
    """Verify every event, program and text of a store; the exit code is 1 for any damage.

    Args:
        store STORE: A file or a SQLAlchemy URL. (default: runs.db in your data folder)

    Options:
        out STORE: A new store for the events of each run before the first damaged event.
    """

    out: str | None = None


@dataclass(frozen=True, kw_only=True)
class Export(Stored):
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


@dataclass(frozen=True, kw_only=True)
class Report(Stored):
    """Write a run as a page of HTML that opens offline.

    Options:
        out FILE: The page; an existing file is overwritten.
        details N: Number of steps with code, prompts and answers, the fastest first.
    """

    run_id: str = "last"
    out: str = "report.html"
    details: Count = 500


@dataclass(frozen=True, kw_only=True)
class View(Stored):
    """Look at runs in a browser, live. Nothing is ever written.

    Options:
        host ADDRESS: Address to listen at. Beyond this machine readers need a token.
        port N: Port to listen at; 0 for any free port.
        token TEXT: Token of readers. (default: none on this machine, else a new one)
    """

    host: str = "127.0.0.1"
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8321
    token: str | None = None


@dataclass(frozen=True, kw_only=True)
class Mcp(TaskArgs, Stored):
    """Let coding agents have programs judged, as a server of the Model Context Protocol.

    Options:
        run --continue RUN: Go on with this run of the task. (default: a new run)
        http PORT: Serve HTTP at this port of 127.0.0.1 (0: any free port), with the token in
            MAXCODE_MCP_TOKEN or a new one. (default: standard input and output)
        budget LIMITS: As for optimize. (default: evaluations=40, with --continue the run's own)
    """

    budget: str | None = None
    run: str | None = None
    http: Annotated[int | None, typer.Option(min=0, max=65535)] = None
    fuzz: Natural = FUZZ
    minimise: Share = MINIMISE
    sandbox: Box | None = None


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
class RtgEvaluate:
    """Measure how well models predict, on stored runs.

    Options:
        model MODEL: As --reward-to-go of optimize. Repeatable.
        store URL: A store of runs. Repeatable. (default: a SQLite file in your data folder)
        data DIR: A dataset: use only the tasks that it keeps from training.
    """

    model: list[str]
    store: list[str] | None = None
    data: str | None = None
    json: bool = False


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Settings of models and of their prompts.

    Options:
        prompts FOLDER: A folder of prompt templates, or pie:few-shot, pie:performance-conditioned,
            effi-learner. (default: built-in)
        context TOKENS: The longest prompt, at most what the model takes. (default: 48000)
        answers FORM: Form of a model's answer: program (whole), edits (search/replace blocks),
            or auto, by the size of the program. (default: auto)
        repair N: Times that a model is shown why its answer is unusable, does not build or fails
            the quickest test, to mend it before it is evaluated. (default: 0)
    """

    prompts: str | None = None
    context: MaybeCount = None
    answers: str | None = None
    repair: MaybeNatural = None
    prices: str | None = None


@dataclass(frozen=True, kw_only=True)
class RunSettings(ModelSettings):
    """Settings of a run that its journal keeps; see :class:`maxcode.cli.recipe.Recipe`."""

    task: str
    generator: str = "rewrite"
    policy: str = "maxcode"
    critic: str = "none"
    reward_to_go: str = "none"
    meter: str | None = None
    sanitize: bool = False
    sandbox: Box | None = None
    out: str | None = None


@dataclass(frozen=True, kw_only=True)
class SearchArgs(ModelSettings, Stored):
    """Options of all commands that start searches.

    Options:
        options NAME=VALUE,...: Options of the search as in Python: attempts (that are shown, 32;
            0: each round's best, as in the paper), gamma (discount of max-reward returns),
            in_flight (requests for candidates open at once), min_gain (0.01); with --reward-to-go
            run and propose (the best 1 of 2 are run), explore (share of those drawn at random,
            0.1), guard (only while it orders candidates better than chance).
    """

    options: str = ""
    meter: str | None = None
    sandbox: Box | None = None
    workers: str | None = None


@dataclass(frozen=True, kw_only=True)
class Optimize(TaskArgs, RunSettings, SearchArgs, Told):
    """Make a program faster: a task folder, or a program together with --inputs.

    Options:
        observe WHAT: What the generator is shown of earlier attempts: any of
            trajectory,critique,best,profile; maxcode (the first three, as in its paper); all; none.
            (default: the policy's)
        dry_run: Ask no model: print the first prompts, and what the budget may buy.
        fuzz N: Compare would-be bests with the original on N generated inputs, and measure the
            winner on inputs held out; 0 does neither.
    """

    budget: str = BUDGET
    observe: str | None = None
    dry_run: bool = False
    fuzz: Natural = FUZZ
    minimise: Share = MINIMISE
    seed: int = 0
    threads: MaybeCount = None
    log: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Resume(ModelSettings, Told, Stored):
    """Continue an interrupted run, or give a run more budget, with its options but those given.

    Options:
        budget LIMITS: Limits of the whole run, which count what it has spent already. (default: the
            run's own)
        minimise [SHARE]: Of a finished run: only reduce its best program, for at most that share of
            what the search spent. (default: 0.15 without a SHARE)
    """

    run_id: str
    budget: str | None = None
    generator: str | None = None
    critic: str | None = None
    minimise: MaybeShare = None
    threads: MaybeCount = None
    sandbox: Box | None = None
    workers: str | None = None
    log: list[str] | None = None
    out: str | None = None
    trust: bool = False


@dataclass(frozen=True, kw_only=True)
class CompareArgs(SearchArgs, Told):
    """Options of all commands that compare methods.

    Options:
        policy NAME[+rtg][@WHAT]: A method: policy, reward-to-go model, and what the generator is
            shown, as in maxcode:k=4+rtg@critique,best; behind it @critic=NAME, @generator=NAME and
            @reward-to-go=MODEL. Repeatable. (default: maxcode, and maxcode+rtg if there is a model)
        ablate [all|maxcode]: Compare one policy with itself, shown all sixteen combinations, or
            those of the paper's table.
        against METHOD: Hold the others against this method, too; all: each against each.
        seeds N: Number of searches of each task, with seeds 0, 1, 2 and so on.
        critic NAME: Source of critiques; as for optimize. (default: none; with --ablate profile)
        reward_to_go NAME: The reward-to-go model of policies with +rtg; as for optimize.
        jobs N: Number of runs at once; they take turns at timing.
        dry_run: Make no run: print what is there, what is missing, and what that may spend.
        out DIR: Write comparison.json (all figures) and runs.csv (a line for each run).
    """

    policy: list[str] | None = None
    ablate: Design | None = None
    against: str | None = None
    seeds: Count = 8
    budget: str = "evaluations=48"
    generator: str = "rewrite"
    critic: str | None = None
    reward_to_go: str = "none"
    fuzz: Natural = 0
    jobs: Count = 1
    dry_run: bool = False
    out: str | None = None


@dataclass(frozen=True, kw_only=True)
class Compare(CompareArgs):
    """Compare searches at an equal budget: methods x tasks x seeds, best-of-N always among them.

    TASK is a task folder, a kernel's reference, a landscape, or a folder of tasks. Runs are kept:
    the same command again makes only missing runs.

    Args:
        tasks TASK...: mytask/, alltasks/
    """

    tasks: list[str]


@dataclass(frozen=True, kw_only=True)
class _Bench(CompareArgs):
    """Options of benchmarks: for so many tasks a single seed will often do."""

    seeds: Count = 1
    budget: str = "evaluations=64"


@dataclass(frozen=True, kw_only=True)
class BenchKernelBench(_Bench):
    """KernelBench: fast_p by level, by its definition, and confirmed; its result files.

    Options:
        root DIR: Its repository, or the folder that holds the levels.
        level N,...: Levels, as in 1,2.
        ids N,...: Numbers of problems, as in 1,19,30-39. (default: all)
        mode strict|kernelbench: Rules by which kernels are judged.
        eval_results DIR: Write kernels, eval_results.json and baseline times there.
    """

    generator: str = field()  # without a default: rewrites are for programs
    root: str
    level: str = "1"
    ids: str | None = None
    small: bool = False
    mode: Literal["strict", "kernelbench"] = "strict"
    eval_results: str | None = None


@dataclass(frozen=True, kw_only=True)
class BenchPie(_Bench):
    """PIE: %Opt, speedup, %Correct and best@k, by its definition, and confirmed.

    Options:
        data FILE: Its JSON lines, such as test.jsonl.
        tests DIR: Its tests: DIR/PROBLEM/input.N.txt and output.N.txt.
        limit N: Only the first N programs. (default: all)
    """

    data: str
    tests: str
    limit: MaybeCount = None


@dataclass(frozen=True, kw_only=True)
class BenchCoffe(_Bench):
    """COFFE: functions of Python, timed on its stressful calls; tables as MaxCode's paper has them.

    Options:
        data DIR: Its folder datasets/function.
        ids NAME,...: Instances, as in HumanEval/0,mbpp/239. (default: all)
    """

    data: str
    ids: str | None = None


class BenchEffiBench(BenchCoffe):
    """EffiBench: solutions of LeetCode's problems in Python, with Effi-Learner's ET, MU and TMU.

    Options:
        data FILE: Its data/dataset.json.
        ids NAME,...: Instances, as in EffiBench/2294. (default: all)
    """
