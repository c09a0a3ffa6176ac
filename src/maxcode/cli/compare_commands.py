"""The commands that let methods compete."""

from __future__ import annotations

from dataclasses import dataclass, field
from inspect import Signature, get_annotations, signature
from typing import Annotated, TypeVar

import typer

from maxcode.cli.parameters import (
    Context,
    Explore,
    Guard,
    Isolation,
    Meter,
    Prices,
    Prompts,
    Propose,
    RunOf,
    Similar,
    Store,
)

_C = TypeVar("_C")


def _own_first(command: type[_C]) -> type[_C]:
    """Options of a command stand before those that it shares, in the order of its help."""
    parameters = signature(command, eval_str=True).parameters.values()
    own = get_annotations(command)
    ordered = sorted(parameters, key=lambda parameter: parameter.name not in own)
    command.__signature__ = Signature(ordered)  # type: ignore[attr-defined]
    return command


@dataclass(frozen=True, kw_only=True)
class CompareArgs:
    """What commands that let methods compete have in common."""

    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[+rtg][@WHAT]",
            help="How to search, whether a reward-to-go model ranks, and what is shown, as in "
            "maxcode:k=4,d=5+rtg@trajectory,best. Once for each method.",
            show_default="maxcode, and maxcode+rtg if there is a model",
        ),
    ] = None
    observe: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="What generators are shown where a policy does not say it itself: any of "
            "trajectory,critique,best; all; none. Best-of-N sees nothing.",
            show_default="the policy's",
        ),
    ] = None
    ablate: Annotated[
        bool,
        typer.Option(
            "--ablate", help="Compare the eight combinations of what the one policy may be shown."
        ),
    ] = False
    seeds: Annotated[
        int, typer.Option(min=1, metavar="N", help="How often, with seeds 0, 1, 2 and so on.")
    ] = 8
    budget: Annotated[str, typer.Option(metavar="LIMITS", help="What each run may spend.")] = (
        "evaluations=48"
    )
    generator: Annotated[
        str, typer.Option(metavar="NAME", help="Who proposes; as for optimize.")
    ] = "rewrite"
    critic: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who says what holds a program back; as for optimize.",
            show_default="none; with --ablate profile",
        ),
    ] = None
    reward_to_go: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]MODEL",
            help="Who ranks for policies with +NAME, as for optimize; NAME is rtg if left out. "
            "May be given several times.",
            show_default="none",
        ),
    ] = None
    propose: Propose = None
    run: RunOf = None
    explore: Explore = None
    rtg_guard: Guard = False
    prompts: Prompts = None
    similar: Similar = None
    context: Context = None
    prices: Prices = None
    meter: Meter = None
    sandbox: Isolation = None
    jobs: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="How many runs may be under way at once; they take turns at timing.",
        ),
    ] = 1
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Make only the I-th of N parts of all runs, from 1 on; maxcode merge puts the "
            "stores of all parts together.",
            show_default="all",
        ),
    ] = None
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Make no run: tell what the store holds, what is missing, and the most that it "
            "may spend.",
        ),
    ] = False
    store: Store = None
    out: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Write comparison.json, runs.csv and the plots there."),
    ] = None
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write all that is known as JSON.")
    ] = None
    csv: Annotated[
        str | None, typer.Option("--csv", metavar="FILE", help="Write a line for each run.")
    ] = None
    plot: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Draw best-so-far curves, as PNG and interactive HTML."),
    ] = None


@_own_first
@dataclass(frozen=True, kw_only=True)
class Compare(CompareArgs):
    """Compare searches at an equal budget: methods x tasks x seeds, best-of-N always among them.

    TASK is a task folder, a kernel's reference, a landscape, or a folder of tasks. Runs are kept:
    the same command again makes only what is missing.
    """

    tasks: Annotated[list[str], typer.Argument(metavar="TASK...", help="mytask/, alltasks/")]


Seeds = Annotated[
    int,
    typer.Option(
        min=1, metavar="N", help="How often each task is searched, with seeds 0, 1, 2 and so on."
    ),
]
Limits = Annotated[str, typer.Option(metavar="LIMITS", help="What each run may spend.")]


@dataclass(frozen=True, kw_only=True)
class _Bench(CompareArgs):
    """A benchmark has many tasks, so one seed each will often do."""

    seeds: Seeds = 1
    budget: Limits = "evaluations=64"


@_own_first
@dataclass(frozen=True, kw_only=True)
class BenchKernelBench(_Bench):
    """KernelBench: fast_p by level, as it defines it, and confirmed; its result files in and out.

    Runs are kept: the same command again makes only what is missing.
    """

    generator: Annotated[
        str,
        typer.Option(metavar="NAME", help="Who proposes kernels; as for optimize."),
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
    small: Annotated[
        bool,
        typer.Option("--small", help="Reduce sizes so that a CPU can judge; see the manual."),
    ] = False
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


@_own_first
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


@_own_first
@dataclass(frozen=True, kw_only=True)
class BenchFolder(_Bench):
    """A collection of your own: every task folder in a folder.

    Runs are kept: the same command again makes only what is missing.
    """

    tasks: Annotated[str, typer.Argument(metavar="DIR", help="The folder of task folders.")]


BenchCommand = BenchKernelBench | BenchPie | BenchFolder
