"""The commands that search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from maxcode.cli.parameters import (
    Context,
    Explore,
    Guard,
    Inputs,
    Isolation,
    Json,
    Log,
    Meter,
    Out,
    Prices,
    Prompts,
    Propose,
    Run,
    RunOf,
    Similar,
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
    prompts: Prompts = None
    similar: Similar = None
    context: Context = None
    prices: Prices = None
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
    log: Log = None
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
    log: Log = None
    out: Out = None
    store: Store = None
    json: Json = False
