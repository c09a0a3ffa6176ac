"""Dataclasses of commands with a search: a single run, and comparisons over many runs.

Docstrings hold the options; see :mod:`maxcode.cli.parameters`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from maxcode.cli.commands import TaskArgs
from maxcode.cli.parameters import Box, Count, MaybeCount, MaybeNatural, MaybeShare, Natural, Share
from maxcode.observation import Design
from maxcode.options import FUZZ, MINIMISE


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
class SearchArgs(ModelSettings):
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
    store: str | None = None


@dataclass(frozen=True, kw_only=True)
class Optimize(TaskArgs, RunSettings, SearchArgs):
    """Make a program faster.

    TASK is a task folder, or a program together with --inputs.

    Options:
        observe WHAT: What the generator is shown of earlier attempts: any of
            trajectory,critique,best,profile; maxcode (the first three, as in its paper); all; none.
            (default: the policy's)
        dry_run: Ask no model: print the first prompts, and what the budget may buy.
        fuzz N: Compare would-be bests with the original on N generated inputs, and measure the
            winner on inputs held out; 0 does neither.
    """

    budget: str = "evaluations=40"
    observe: str | None = None
    dry_run: bool = False
    fuzz: Natural = FUZZ
    minimise: Share = MINIMISE
    seed: int = 0
    threads: MaybeCount = None
    log: list[str] | None = None
    markdown: str | None = None
    junit: str | None = None
    json: bool = False


@dataclass(frozen=True, kw_only=True)
class Resume(ModelSettings):
    """Continue an interrupted run, or give a run more budget.

    With --minimise, reduce the best program of a finished run to the changes that its gain needs.
    Options that are left out stay as they are in the run.

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
    store: str | None = None
    markdown: str | None = None
    junit: str | None = None
    json: bool = False


@dataclass(frozen=True, kw_only=True)
class CompareArgs(SearchArgs):
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
    markdown: str | None = None
    junit: str | None = None
    json: bool = False


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

    Runs are kept: the same command again makes only missing runs.

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

    Runs are kept: the same command again makes only missing runs.

    Options:
        data FILE: Its JSON lines, such as test.jsonl.
        tests DIR: Its tests: DIR/PROBLEM/input.N.txt and output.N.txt.
        limit N: Only the first N programs. (default: all)
        compat: Check outputs as PIE does, which lets extra lines at the end pass.
    """

    data: str
    tests: str
    limit: MaybeCount = None
    compat: bool = False


@dataclass(frozen=True, kw_only=True)
class BenchCoffe(_Bench):
    """COFFE: functions of Python, timed on its stressful calls; tables as MaxCode's paper has them.

    Runs are kept: the same command again makes only missing runs.

    Options:
        data DIR: Its folder datasets/function.
        ids NAME,...: Instances, as in HumanEval/0,mbpp/239. (default: all)
    """

    data: str
    ids: str | None = None


class BenchEffiBench(BenchCoffe):
    """EffiBench: solutions of LeetCode's problems in Python; tables as MaxCode's paper has them.

    Runs are kept: the same command again makes only missing runs. Effi-Learner's ET, MU and TMU are
    in the last table.

    Options:
        data FILE: Its data/dataset.json.
        ids NAME,...: Instances, as in EffiBench/2294. (default: all)
    """
