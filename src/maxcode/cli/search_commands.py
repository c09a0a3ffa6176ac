"""The commands that search: one run, and comparisons of methods over many runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import typer

from maxcode.cli.parameters import (
    PRICES,
    Imports,
    Inputs,
    Isolation,
    Json,
    Log,
    Meter,
    Minimise,
    Out,
    Prices,
    Run,
    Small,
    Store,
    Threads,
    Trust,
    Workers,
)
from maxcode.options import FUZZ, MIN_GAIN, MINIMISE, CommitOrder

Budget = Annotated[
    str,
    typer.Option(
        metavar="LIMITS",
        help="What may be spent: one or more of evaluations=40,seconds=120,usd=5,tokens=100000. "
        "An evaluation builds, checks and times one candidate.",
    ),
]
RunBudget = Annotated[
    str,
    typer.Option(metavar="LIMITS", help="What each run may spend, such as evaluations=40,usd=5."),
]
Seeds = Annotated[
    int,
    typer.Option(
        min=1, metavar="N", help="How often each task is searched, with seeds 0, 1, 2 and so on."
    ),
]
_PROMPTS = (
    "Prompt templates to use instead of the built-in ones: a folder, or those after published "
    "ones: pie:few-shot, pie:performance-conditioned, effi-learner."
)
_ANSWERS = (
    "How models write a candidate: program (whole), edits (search/replace blocks), function (only "
    "what changes), or auto: as usual, and otherwise where most such answers held no program."
)
_REPAIR = (
    "An answer of a model that is not usable, does not build or fails the quickest test is shown "
    "its error and may be mended N times, for tokens but no evaluation."
)
_OWN = "the run's own"  # where a run goes on
Prompts = Annotated[
    str | None, typer.Option(metavar="FOLDER", help=_PROMPTS, show_default="built-in")
]
Answers = Annotated[str | None, typer.Option(metavar="FORM", help=_ANSWERS, show_default="auto")]
Repair = Annotated[int | None, typer.Option(min=0, metavar="N", help=_REPAIR, show_default="0")]
Strategies = Annotated[
    bool,
    typer.Option(
        "--strategies",
        help="Give each of several answers of a model another direction, drawn by what directions "
        "gained so far.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class SearchArgs:
    """What every command that starts searches takes."""

    propose: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="M",
            help="With --reward-to-go: of every M proposed candidates, run only the --run N most "
            "promising.",
            show_default="2",
        ),
    ] = None
    run: Annotated[
        int | None,
        typer.Option(
            "--run",
            min=1,
            metavar="N",
            help="With --reward-to-go: how many of every --propose M candidates are run.",
            show_default="1",
        ),
    ] = None
    explore: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="With --reward-to-go: the share of run candidates that is drawn at random, so "
            "that the model can be judged without bias.",
            show_default="0.1",
        ),
    ] = None
    rtg_guard: Annotated[
        bool,
        typer.Option(
            "--rtg-guard",
            help="Use the reward-to-go model only while its estimates order candidates better "
            "than chance.",
        ),
    ] = False
    prompts: Prompts = None
    similar: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Show the model pairs of slow and fast programs like the one to improve, from a "
            "training file in PIE's format: train.jsonl, or train.jsonl,k=2 for two instead of "
            "four.",
            show_default="none",
        ),
    ] = None
    lessons: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Show the model what changes gained on other tasks: a file of `maxcode store "
            "lessons`.",
            show_default="none",
        ),
    ] = None
    context: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="TOKENS",
            help="The longest prompt allowed; less where the model takes less.",
            show_default="48000",
        ),
    ] = None
    answers: Answers = None
    repair: Repair = None
    strategies: Strategies = False
    prices: Prices = None
    meter: Meter = None
    sandbox: Isolation = None
    workers: Workers = None
    store: Store = None


@dataclass(frozen=True, kw_only=True)
class Optimize(SearchArgs):
    """Make a program faster.

    TASK is a task folder, or a C++ program together with --inputs.
    """

    task: Annotated[str, typer.Argument(metavar="TASK", help="mytask/ or slow.cpp")]
    inputs: Inputs = None
    flags: Annotated[
        str, typer.Option(metavar="TEXT", help="With --inputs: the flags for g++.")
    ] = "-O3 -std=c++17"
    check: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="With --inputs: how outputs are compared: tokens, lines, exact, numbers, "
            "unordered, sorted:FIELD or program:FILE.",
        ),
    ] = "tokens"
    timeout: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="With --inputs: the longest that one may take."),
    ] = 10.0
    budget: Budget = "evaluations=40"
    generator: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What proposes faster programs: rewrite (rules, no model; rewrite:guesses=yes "
            "adds rules that may change the meaning in rare cases), tune (values of declared "
            "parameters), pool:folder=DIR (your files), anthropic:MODEL, openai:MODEL@BASE_URL, "
            "hf:PATH (a local model), agent:COMMAND (a coding agent), your own "
            "package.module:Class, or several joined by ' + '.",
        ),
    ] = "rewrite"
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How to search: maxcode, maxcode-greedy, puct, best-of-n, beam, islands, "
            "cuda-llm, effi-learner, treequest, with options as in maxcode:k=4,d=10, or your own "
            "package.module:Class,x=1.",
        ),
    ] = "maxcode"
    observe: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="What the generator sees of earlier attempts: any of "
            "trajectory,critique,best,profile (the path to a program, the critic's text, the best "
            "program so far, where the program spends its time); all; none.",
            show_default="the policy's",
        ),
    ] = None
    critic: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What explains to the generator where a program loses time: profile, "
            "anthropic:MODEL, openai:MODEL@BASE_URL, hf:PATH, none, or your own "
            "package.module:Class.",
        ),
    ] = "none"
    reward_to_go: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A model that predicts which candidates are worth running: the folder of a saved "
            "model, openai:MODEL@BASE_URL, random, reward-so-far, none, or your own "
            "package.module:Class.",
        ),
    ] = "none"
    small: Small = False
    cache: Annotated[
        bool,
        typer.Option(
            "--cache",
            help="Reuse answers that earlier runs in this store paid for, where a request is "
            "identical.",
        ),
    ] = False
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Ask no model: print the first prompts, and what the budget may buy.",
        ),
    ] = False
    sanitize: Annotated[
        bool,
        typer.Option(
            "--sanitize",
            help="Also require programs to pass with address and undefined-behaviour sanitizers.",
        ),
    ] = False
    fuzz: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Compare what looks like a new best with the original on N generated inputs, and "
            "measure the winner on inputs held out; 0 does neither.",
        ),
    ] = FUZZ
    minimise: Minimise = MINIMISE
    min_gain: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="SHARE",
            help="Keep the baseline where the best program gains less than that share, or less "
            "than its layouts differ.",
        ),
    ] = MIN_GAIN
    seed: Annotated[int, typer.Option(metavar="N", help="All randomness is derived from it.")] = 0
    threads: Threads = None
    in_flight: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="How many requests for candidates may be open at once; only for policies that ask "
            "while others run, such as best-of-n.",
            show_default="1, or for best-of-n 8 candidates a thread",
        ),
    ] = None
    commit_order: Annotated[
        CommitOrder,
        typer.Option(
            metavar="ORDER",
            help="Take in candidates in the order asked, so that the same seed finds the same, or "
            "as they are completed, so that none waits for a slower one.",
        ),
    ] = "asked"
    log: Log = None
    out: Out = None
    json: Json = False


@dataclass(frozen=True)
class Resume:
    """Continue a run that was interrupted, or give one more budget.

    With --minimise, reduce the best program of a finished run to the changes that its gain needs.
    """

    run_id: Run
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="LIMITS",
            help="What the whole run may spend, including what it has spent already.",
            show_default=_OWN,
        ),
    ] = None
    generator: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What proposes programs from now on; as for optimize.",
            show_default=_OWN,
        ),
    ] = None
    critic: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What explains where a program loses time from now on; as for optimize.",
            show_default=_OWN,
        ),
    ] = None
    context: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="TOKENS",
            help="The longest prompt allowed from now on.",
            show_default=_OWN,
        ),
    ] = None
    answers: Annotated[
        str | None, typer.Option(metavar="FORM", help=_ANSWERS, show_default=_OWN)
    ] = None
    repair: Annotated[
        int | None, typer.Option(min=0, metavar="N", help=_REPAIR, show_default=_OWN)
    ] = None
    prompts: Annotated[
        str | None, typer.Option(metavar="FOLDER", help=_PROMPTS, show_default=_OWN)
    ] = None
    prices: Annotated[str | None, typer.Option(metavar="FILE", help=PRICES, show_default=_OWN)] = (
        None
    )
    cache: Annotated[
        bool,
        typer.Option(
            "--cache",
            help="From now on, reuse answers that earlier runs in this store paid for.",
        ),
    ] = False
    minimise: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            metavar="[SHARE]",
            help="Of a finished run: do not search on, only reduce its best program. This may "
            "take that share of the evaluations spent (at least 10) and of the seconds of the "
            f"budget, beside the budget; {MINIMISE} is meant without a SHARE.",
        ),
    ] = None
    threads: Threads = None
    sandbox: Isolation = None
    workers: Workers = None
    log: Log = None
    out: Out = None
    trust: Trust = False
    imports: Imports = None
    store: Store = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class CompareArgs(SearchArgs):
    """What every command that compares methods takes."""

    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[+rtg][@WHAT]",
            help="A method to compare: how to search, with which reward-to-go model, and what the "
            "generator sees, as in maxcode:k=4,d=5+rtg@trajectory,best; behind it @critic=NAME and "
            "@generator=NAME of its own. Once for each method.",
            show_default="maxcode, and maxcode+rtg if there is a model",
        ),
    ] = None
    observe: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="What generators see of earlier attempts where --policy does not say it: any of "
            "trajectory,critique,best,profile; all; none. Best-of-N sees nothing.",
            show_default="the policy's",
        ),
    ] = None
    ablate: Annotated[
        bool,
        typer.Option(
            "--ablate", help="Compare the sixteen combinations of what the generator may see."
        ),
    ] = False
    against: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help="Hold the others against this method, too, named as in --policy; all: each "
            "against each.",
            show_default="best-of-n alone",
        ),
    ] = None
    seeds: Seeds = 8
    budget: RunBudget = "evaluations=48"
    generator: Annotated[
        str, typer.Option(metavar="NAME", help="What proposes programs; as for optimize.")
    ] = "rewrite"
    critic: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What explains where a program loses time; as for optimize.",
            show_default="none; with --ablate profile",
        ),
    ] = None
    reward_to_go: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]MODEL",
            help="The reward-to-go model of policies with +NAME; as for optimize. NAME is rtg if "
            "left out. May be given several times.",
            show_default="none",
        ),
    ] = None
    fuzz: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Compare would-be bests with the original on N generated inputs; as for optimize.",
        ),
    ] = 0
    jobs: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="How many runs go on at once; they take turns at timing.",
        ),
    ] = 1
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Make only the I-th of N parts of all runs, from 1 on; maxcode store merge "
            "puts the stores of all parts together.",
            show_default="all",
        ),
    ] = None
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Make no run: print what the store holds, what is missing, and the most that it "
            "may spend.",
        ),
    ] = False
    out: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Write comparison.json, runs.csv and the plots there."),
    ] = None
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write all figures as JSON.")
    ] = None
    csv: Annotated[
        str | None, typer.Option("--csv", metavar="FILE", help="Write a line for each run.")
    ] = None
    plot: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Draw best-so-far curves, as PNG and interactive HTML."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Compare(CompareArgs):
    """Compare searches at an equal budget: methods x tasks x seeds, best-of-N always among them.

    TASK is a task folder, a kernel's reference, a landscape, or a folder of tasks. Runs are kept:
    the same command again makes only what is missing.
    """

    tasks: Annotated[list[str], typer.Argument(metavar="TASK...", help="mytask/, alltasks/")]


@dataclass(frozen=True, kw_only=True)
class _Bench(CompareArgs):
    """A benchmark has many tasks, so one seed each will often do."""

    seeds: Seeds = 1
    budget: RunBudget = "evaluations=64"


@dataclass(frozen=True, kw_only=True)
class BenchKernelBench(_Bench):
    """KernelBench: fast_p by level, as it defines it, and confirmed; its result files in and out.

    Runs are kept: the same command again makes only what is missing.
    """

    generator: Annotated[
        str,
        typer.Option(metavar="NAME", help="What proposes kernels; as for optimize."),
    ] = field()  # without a default: rewrites are for C++
    root: Annotated[
        str,
        typer.Option(metavar="DIR", help="Its repository, or the folder that holds the levels."),
    ]
    level: Annotated[str, typer.Option(metavar="N,...", help="Which levels, as in 1,2.")] = "1"
    ids: Annotated[
        str | None,
        typer.Option(metavar="N,...", help="Which problems, as in 1,19,30-39.", show_default="all"),
    ] = None
    small: Small = False
    mode: Annotated[
        str,
        typer.Option(metavar="strict|kernelbench", help="By whose rules kernels are judged."),
    ] = "strict"
    eval_results: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Write kernels, eval_results.json and baseline times there, as that benchmark's "
            "own scripts read them.",
        ),
    ] = None
    theirs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=RESULTS,BASELINE",
            help="Show a method that was run elsewhere beside ours: its eval_results.json and its "
            "file of baseline times. Of one level; may be given several times.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class BenchPie(_Bench):
    """PIE: %Opt, speedup, %Correct and best@k, as it defines them, and confirmed.

    Runs are kept: the same command again makes only what is missing.
    """

    data: Annotated[str, typer.Option(metavar="FILE", help="Its JSON lines, such as test.jsonl.")]
    tests: Annotated[
        str,
        typer.Option(metavar="DIR", help="Its tests: DIR/PROBLEM/input.N.txt and output.N.txt."),
    ]
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only the first N programs.", show_default="all"),
    ] = None
    compat: Annotated[
        bool,
        typer.Option(
            "--compat", help="Check outputs as PIE does, which lets extra lines at the end pass."
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class BenchFolder(_Bench):
    """A collection of your own: every task folder in a folder.

    Runs are kept: the same command again makes only what is missing.
    """

    tasks: Annotated[str, typer.Argument(metavar="DIR", help="The folder of task folders.")]
