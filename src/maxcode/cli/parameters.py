"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Store = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Where runs are kept: a file or a SQLAlchemy URL.",
        show_default="a SQLite file in your data folder",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, the start of one, or 'last'.")]
Meter = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What shall become less: cpu, wall, instructions (under valgrind: slow, but without "
        "noise), peak_memory or memory_integral.",
        show_default="the task's, else cpu",
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        metavar="'GLOB'",
        help="Input files of a C++ program, as a pattern in quotes. May be given several times.",
    ),
]
Out = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Where the faster program is saved; what is there is overwritten.",
        show_default="NAME.fast.cpp in this folder",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="How many candidates may be built and checked at a time. Changes no result.",
        show_default="one a core",
    ),
]

Propose = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="M",
        help="With --reward-to-go: of every M proposed candidates --run N are run.",
        show_default="2",
    ),
]
RunOf = Annotated[
    int | None,
    typer.Option("--run", min=1, metavar="N", help="See --propose.", show_default="1"),
]
Explore = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Of the candidates that are run, how many are drawn by lot, so that the model can be "
        "judged without bias.",
        show_default="0.1",
    ),
]
Guard = Annotated[
    bool,
    typer.Option(
        "--rtg-guard",
        help="Listen to the reward-to-go model only while its estimates are known to order "
        "candidates better than chance.",
    ),
]
Log = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME:WHERE",
        help="Log the run elsewhere, too, while it goes on: tensorboard:DIR, wandb:PROJECT or "
        "mlflow:URI. May be given several times.",
    ),
]
Isolation = Annotated[
    str | None,
    typer.Option(
        metavar="bubblewrap|process",
        help="Where programs are built and run: isolated, or merely limited in time and memory.",
        show_default="bubblewrap; process where it cannot work and the generator only rewrites "
        "your own code",
    ),
]
Prompts = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER",
        help="Templates for prompts that take the place of ours; or those of PIE: pie:few-shot, "
        "pie:performance-conditioned.",
        show_default="ours",
    ),
]
Similar = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Show the generator pairs of slow and fast programs like the one to improve, from a "
        "training file in PIE's format: train.jsonl, or train.jsonl,k=2 for two instead of four.",
        show_default="none",
    ),
]
Context = Annotated[
    int | None,
    typer.Option(min=1, metavar="TOKENS", help="How long a prompt may be.", show_default="48000"),
]
Prices = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Prices of models, beside those we know.",
        show_default="prices.toml in your configuration folder",
    ),
]
