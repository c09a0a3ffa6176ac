"""The commands that search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from maxcode.cli.parameters import (
    Explore,
    Guard,
    Inputs,
    Isolation,
    Json,
    Meter,
    Out,
    Propose,
    Run,
    RunOf,
    Store,
    Threads,
)

DEFAULT_BUDGET = "evaluations=40"


@dataclass(frozen=True)
class Optimize:
    """Make a program faster.

    TASK is a task folder, or a C++ program together with --inputs.
    """

    task: Annotated[str, typer.Argument(metavar="TASK", help="mytask/ or slow.cpp")]
    inputs: Inputs = None
    budget: Annotated[
        str,
        typer.Option(
            metavar="LIMITS",
            help="What may be spent: evaluations=40,seconds=120,usd=5,tokens=100000.",
        ),
    ] = DEFAULT_BUDGET
    generator: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who proposes: rewrite, pool:folder=DIR, anthropic:MODEL, openai:MODEL@BASE_URL, "
            "hf:PATH, your own package.module:Cls, or several with ' + ' between them.",
        ),
    ] = "rewrite"
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How to search: maxcode, best-of-n, with options as in maxcode:k=4,d=10, "
            "or your own package.module:Cls,x=1.",
        ),
    ] = "maxcode"
    observe: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="What the generator is shown: any of trajectory,critique,best; all; none.",
            show_default="the policy's",
        ),
    ] = None
    critic: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who tells the generator what holds a program back: profile, anthropic:MODEL, "
            "openai:MODEL@BASE_URL, hf:PATH, none, or your own package.module:Cls.",
        ),
    ] = "none"
    reward_to_go: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who says which candidates are worth running: the folder of a saved model, "
            "openai:MODEL@BASE_URL, random, reward-so-far, none, or your own package.module:Cls.",
        ),
    ] = "none"
    propose: Propose = None
    run: RunOf = None
    explore: Explore = None
    rtg_guard: Guard = False
    prompts: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Templates for prompts that take the place of ours.",
            show_default="ours",
        ),
    ] = None
    context: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="TOKENS", help="How long a prompt may be.", show_default="48000"
        ),
    ] = None
    prices: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Prices of models, beside those we know.",
            show_default="prices.toml in your configuration folder",
        ),
    ] = None
    cache: Annotated[
        bool,
        typer.Option(
            "--cache",
            help="Use answers again that earlier runs in this store paid for, where a request is "
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
    meter: Meter = None
    sanitize: Annotated[
        bool,
        typer.Option(
            "--sanitize",
            help="Let programs pass with address and undefined-behaviour sanitizers as well.",
        ),
    ] = False
    sandbox: Isolation = None
    seed: Annotated[int, typer.Option(metavar="N", help="All randomness is derived from it.")] = 0
    threads: Threads = None
    in_flight: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="How many expansions may be under way at once; only for policies that ask "
            "while others run, such as best-of-n.",
        ),
    ] = 1
    out: Out = None
    store: Store = None
    json: Json = False


@dataclass(frozen=True)
class Resume:
    """Go on with a run that was interrupted, or give one more budget."""

    run_id: Run
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="LIMITS",
            help="What the whole run may spend, what it has spent already included.",
            show_default="the run's own",
        ),
    ] = None
    threads: Threads = None
    sandbox: Isolation = None
    out: Out = None
    store: Store = None
    json: Json = False


@dataclass(frozen=True)
class Compare:
    """Compare searches at an equal budget: methods x tasks x seeds, best-of-N always among them.

    TASK is a task folder, a kernel's reference, a landscape, or a folder of tasks. Runs are kept:
    the same command again makes only what is missing.
    """

    tasks: Annotated[list[str], typer.Argument(metavar="TASK...", help="mytask/, alltasks/")]
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
    prompts: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Templates for prompts.", show_default="ours"),
    ] = None
    prices: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Prices of models.", show_default="as for optimize"),
    ] = None
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
