"""Options and arguments that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from typing import Annotated, TypeVar

import typer
from pydantic import TypeAdapter, ValidationError

from maxcode.errors import InputError, ToolError

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
        help="The share of the candidates run that is drawn at random, so that the model can be "
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


_P = TypeVar("_P")


def constructed(text: str, plugin: type[_P], options: str, **given: object) -> _P:
    """What ``text`` names: the class with its options, as ``k=4,d=10``, and what else is given.

    Raises :class:`InputError` that quotes what cannot be read.
    """
    try:
        return plugin(**_read(text, plugin, options, given), **given)
    except (InputError, ToolError):
        raise
    except Exception as error:
        raise InputError(f"cannot construct {plugin.__name__} ({text!r}): {told(error)}") from error


def told(error: BaseException) -> str:
    """What somebody else's code raised, in a line."""
    return (
        f"{type(error).__name__}: {error}; mend that (maxcode --debug COMMAND ... shows "
        "where it comes from)"
    )


def _read(text: str, plugin: type, arguments: str, given: Collection[str]) -> dict[str, object]:
    """``k=4,d=10`` as the types that the constructor of ``plugin`` declares."""
    signature = inspect.signature(plugin, eval_str=bool(arguments))
    parameters = {n: p for n, p in signature.parameters.items() if n not in given}
    known = f"{plugin.__name__} takes: {', '.join(parameters) or 'no options'}"
    values: dict[str, object] = {}
    for part in filter(None, (part.strip() for part in arguments.split(","))):
        name, equals, value = part.partition("=")
        if not equals or name not in parameters:
            raise InputError(f"cannot read {part!r} in {text!r}; {known}")
        try:
            declared = parameters[name].annotation
            kind = str if declared is inspect.Parameter.empty else declared
            values[name] = TypeAdapter(kind).validate_strings(value)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]["msg"]
            raise InputError(f"{part!r} in {text!r}: {problem.lower()}") from error
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and name not in values
    ]
    if missing:
        raise InputError(f"{text!r} lacks {', '.join(missing)}; {known}")
    return values
