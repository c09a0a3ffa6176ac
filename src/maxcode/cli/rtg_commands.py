"""The commands of `maxcode rtg`, on reward-to-go models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

Stores = Annotated[
    list[str] | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="A store of runs: a file or a SQLAlchemy URL. May be given several times.",
        show_default="a SQLite file in your data folder",
    ),
]
OnlyRuns = Annotated[
    list[str] | None,
    typer.Option(
        "--run",
        metavar="ID",
        help="Only runs whose ids begin like this. May be given several times.",
        show_default="all runs",
    ),
]


@dataclass(frozen=True)
class RtgDataset:
    """Make a dataset for training from the runs in stores, split by task."""

    out: Annotated[str, typer.Option(metavar="DIR", help="The folder to make.")]
    store: Stores = None
    run: OnlyRuns = None
    returns: Annotated[
        str,
        typer.Option(
            metavar="max|sum|own",
            help="What is learned: the best reward still to come, the discounted sum of all, or to "
            "compare with the candidate's own.",
        ),
    ] = "max"
    target: Annotated[
        str,
        typer.Option(
            metavar="paths|subtree|imputed",
            help="Of which futures of a candidate: the mean over the paths through it, or the best "
            "of its subtree, where models know the policy and the budget that is left; imputed "
            "where nothing was grown from it.",
        ),
    ] = "paths"
    gamma: Annotated[
        float, typer.Option(metavar="X", help="The discount of a step, in (0, 1].")
    ] = 1.0
    edges: Annotated[
        str | None,
        typer.Option(
            metavar="0,X,...",
            help="Where the bins of speedups begin. What fails has a bin of its own.",
            show_default="0,.5,.9,1.1,1.5,2,3,5,10",
        ),
    ] = None
    held_out: Annotated[
        float,
        typer.Option(metavar="SHARE", help="The share of tasks that is kept from training."),
    ] = 0.2
    hold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TASK",
            help="Hold out this task instead, by its name. May be given several times.",
        ),
    ] = None
    seed: Annotated[int, typer.Option(metavar="N", help="Of which tasks are held out.")] = 0
    format: Annotated[str, typer.Option(metavar="jsonl|parquet", help="How rows are written.")] = (
        "jsonl"
    )
    tokenizer: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Count tokens as this tokenizer does: a folder or a hub's name.",
            show_default="estimated",
        ),
    ] = None
    force: Annotated[
        bool, typer.Option("--force", help="Replace the dataset that is in DIR already.")
    ] = False


@dataclass(frozen=True)
class RtgTrain:
    """Train a model on a dataset, and save it.

    With a language model that takes the extras reward-to-go and transformers; begin the command by
    `accelerate launch -m maxcode.cli.main` for several GPUs.
    """

    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="features; a language model's folder, or its name on the Hugging Face hub; or "
            "tiny, a small one from scratch.",
        ),
    ]
    data: Annotated[str, typer.Option(metavar="DIR", help="The dataset.")]
    out: Annotated[str, typer.Option(metavar="DIR", help="The folder to make.")]
    epochs: Annotated[int, typer.Option(min=1, metavar="N", help="Passes over the data.")] = 3
    batch: Annotated[
        int, typer.Option(min=1, metavar="N", help="Examples at a time on each device.")
    ] = 8
    accumulate: Annotated[
        int, typer.Option(min=1, metavar="N", help="Batches to a change of the weights.")
    ] = 1
    learning_rate: Annotated[
        float | None,
        typer.Option(metavar="X", help="At its highest.", show_default="1e-4, or 2e-5 with --full"),
    ] = None
    rank: Annotated[int, typer.Option(min=1, metavar="N", help="The adapter's rank.")] = 16
    alpha: Annotated[int, typer.Option(min=1, metavar="N", help="The adapter's scale.")] = 32
    dropout: Annotated[
        float, typer.Option(metavar="X", help="The share of its inputs that is left out.")
    ] = 0.05
    full: Annotated[bool, typer.Option("--full", help="Train all weights, not an adapter.")] = False
    four_bit: Annotated[
        bool, typer.Option("--four-bit", help="Keep the weights under an adapter in 4 bits.")
    ] = False
    soft: Annotated[
        bool, typer.Option("--soft", help="Share targets out between neighbouring bins.")
    ] = False
    context: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="TOKENS",
            help="How long an input may be.",
            show_default="4096, or 1024 for tiny",
        ),
    ] = None
    evaluate_every: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="STEPS",
            help="How often candidates held out are ranked, and a checkpoint is made.",
            show_default="once an epoch",
        ),
    ] = None
    patience: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="End after so many rankings without a better one."),
    ] = 3
    seed: Annotated[int, typer.Option(metavar="N", help="All randomness is derived from it.")] = 0
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = (
        False
    )
    force: Annotated[
        bool, typer.Option("--force", help="Replace the model that is in DIR already.")
    ] = False


@dataclass(frozen=True)
class RtgEvaluate:
    """Measure how well models predict, on stored runs; without a model, the runs' own estimates.

    Each model estimates every candidate that was run, in the state in which it was proposed, and
    its estimate is compared with the outcome.
    """

    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="The folder of a saved model, openai:MODEL@BASE_URL, random, reward-so-far or "
            "package.module:Class. Give several to see them side by side.",
            show_default="the estimates that were made during the runs",
        ),
    ] = None
    store: Stores = None
    run: OnlyRuns = None
    data: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="A dataset: use only the tasks that it keeps from training, and its base rates.",
        ),
    ] = None
    family: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="Its first group, found in a task's name, names the family for the tables.",
            show_default="every task by itself",
        ),
    ] = None
    bins: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="The saved model that made the estimates during the runs, for its bins.",
            show_default="the default bins",
        ),
    ] = None
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write all figures as JSON.")
    ] = None
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write all figures as a table.")
    ] = None
    plot: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Draw reliability, and estimates against outcomes."),
    ] = None
