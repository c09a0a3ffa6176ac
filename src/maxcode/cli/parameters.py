"""Options and arguments that several commands share, and the panels of long help texts."""

from __future__ import annotations

from typing import Annotated

import typer

Store = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The store that keeps all runs: a file or a SQLAlchemy URL.",
        show_default="a SQLite file in your data folder",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, the start of one, or 'last'.")]
Runs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="RUN...", help="Ids of runs, starts of ids, or 'last'.", show_default="last"
    ),
]
AllRuns = Annotated[bool, typer.Option("--all", help="All runs of the store.")]
Meter = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What to reduce: cpu (processor time), wall (elapsed time), instructions (counted by "
        "valgrind: slow, but free of noise), peak_memory or memory_integral (memory over time).",
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
        help="Save the faster program here; an existing file is overwritten.",
        show_default="NAME.fast.cpp in this folder",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="How many candidates are built and checked at the same time. Changes no result.",
        show_default="one per core",
    ),
]
Workers = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE",
        help="Judge on the lanes of a Ray cluster: ray (this machine's cluster, else a local one), "
        "ray:N for at most N lanes, HOST:PORT, or ray://HOST:PORT.",
        show_default="this process",
    ),
]
Log = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME:WHERE",
        help="Also log the run elsewhere while it goes on: tensorboard:DIR, wandb:PROJECT or "
        "mlflow:URI. May be given several times.",
    ),
]
Isolation = Annotated[
    str | None,
    typer.Option(
        metavar="bubblewrap|process",
        help="Where programs are built and run: bubblewrap isolates them, process only limits "
        "their time and memory.",
        show_default="bubblewrap; process where it cannot work and the generator only rewrites "
        "your own code",
    ),
]

PRICES = "Prices of models, in addition to the built-in ones."
Prices = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help=PRICES, show_default="prices.toml in your configuration folder"
    ),
]

Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Go on although the run's recipe was not written by you on this machine; what it "
        "names is shown.",
    ),
]
Imports = Annotated[
    list[str] | None,
    typer.Option(
        "--import",
        metavar="MODULE",
        help="With --trust: a module that the recipe names and that may be imported. May be given "
        "several times.",
        show_default="none",
    ),
]
Minimise = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        metavar="SHARE",
        help="Reduce the best program to the changes that its gain needs. This may take that share "
        "of the evaluations spent (at least 10) and of the seconds of the budget, beside the "
        "budget; 0 leaves the program as it is.",
    ),
]
Small = Annotated[
    bool,
    typer.Option(
        "--small", help="Of kernels: reduce sizes so that a CPU can judge; see the manual."
    ),
]

PANELS = {
    "Task and output": (
        *("inputs", "root", "level", "ids", "small", "data", "tests", "limit", "out", "json"),
        *("csv", "plot", "eval_results", "theirs"),
    ),
    "Generator": (
        "generator",
        "observe",
        "prompts",
        "similar",
        "lessons",
        "context",
        "answers",
        "repair",
        "strategies",
        "prices",
        "cache",
    ),
    "Search": (
        *("policy", "ablate", "against", "critic", "reward_to_go"),
        *("propose", "run", "explore", "rtg_guard"),
        *("minimise", "min_gain", "seed", "seeds", "in_flight", "commit_order", "threads", "jobs"),
    ),
    "Judging": (
        *("flags", "check", "timeout", "meter", "mode", "compat"),
        *("sanitize", "fuzz", "sandbox", "workers"),
    ),
    "Budget": ("budget", "dry_run"),
    "Records": ("log", "store", "shard"),
    "Help": ("help",),
}
"""The options of a search, by the panel of the help text that shows them."""
