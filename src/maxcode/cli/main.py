"""The program `maxcode`: its commands, reports of errors, and exit codes (docs/manual/cli.md)."""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Collection
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from maxcode.cli import commands
from maxcode.cli.parameters import USUAL, described, description
from maxcode.errors import InputError, JournalError, MaxcodeError, ToolError
from maxcode.options import MINIMISE, Options
from maxcode.redaction import SECRETS
from maxcode.text import plain

BAD_INPUT = 2
FAILED = 3
INTERRUPTED = 130

PANELS = {
    "Start": ("init", "optimize", "resume", "show", "runs", "doctor"),
    "Check": ("judge", "verify", "fuzz"),
    "Experiment": ("compare", "bench", "report", "view", "rtg", "mcp"),
    "Store": ("store",),
}
"""The commands at the top, by the panel of the help text."""

COMMANDS: dict[str, tuple[type, str]] = {
    "init": (commands.Init, "init:init"),
    "optimize": (commands.Optimize, "optimize:start"),
    "resume": (commands.Resume, "optimize:resume"),
    "show": (commands.Show, "show:show"),
    "runs": (commands.Runs, "show:runs"),
    "doctor": (commands.Doctor, "doctor:doctor"),
    "judge": (commands.Judge, "judge:judge"),
    "verify": (commands.Verify, "verify:verify"),
    "fuzz": (commands.Fuzz, "judge:fuzz"),
    "compare": (commands.Compare, "compare:compare"),
    "report": (commands.Report, "report:report"),
    "view": (commands.View, "report:view"),
    "mcp": (commands.Mcp, "mcp:mcp"),
    "bench kernelbench": (commands.BenchKernelBench, "compare:kernelbench"),
    "bench pie": (commands.BenchPie, "compare:pie"),
    "bench coffe": (commands.BenchCoffe, "compare:coffe"),
    "bench effibench": (commands.BenchEffiBench, "compare:coffe"),
    "rtg dataset": (commands.RtgDataset, "rtg:dataset"),
    "rtg train": (commands.RtgTrain, "rtg:train"),
    "rtg evaluate": (commands.RtgEvaluate, "rtg:evaluate"),
    "store merge": (commands.Merge, "stores:merge"),
    "store check": (commands.Check, "stores:check"),
    "store export": (commands.Export, "stores:export"),
}
"""Arguments and handler of each command; the handler is a function of this package.

Handlers are imported when they are needed: some take seconds.
"""

GROUPS = {
    "bench": "Compare methods over KernelBench, PIE, COFFE or EffiBench.",
    "rtg": "Train and evaluate models that predict which candidates are worth running.",
    "store": "Merge, verify and export stores.",
}
"""Groups of further commands, and their help texts."""

MOVED = {
    **{name.removeprefix("store "): name for name in COMMANDS if name.startswith("store ")},
    "repair": "store check STORE --out NEW",
    "reduce": "resume RUN --minimise",
    "workers": "doctor --workers",
    "audit": "judge TASK --audit",
    "critiques": "compare",
}
"""Former names of commands, and what to type instead."""

_SILENT = {
    "init:init": "running and measuring what there is",
    "judge:judge": "judging",
    "verify:verify": "measuring again",
    "judge:fuzz": "comparing",
}
"""Handlers without a view of their work, and words for it."""

_OPTIONAL = {"--minimise": str(MINIMISE), "--workers": "ray", "--ablate": "all"}
"""Options with an optional value, and the value meant without it."""


class _PlainHelp:
    """Help with plain names of arguments and flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""  # typer writes <bool>, as of a value
            if parameter.param_type_name == "argument":  # and <str> beside the name
                parameter.display_type_rich = lambda **_: None
        return parameters

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        plain = (re.sub("[{}]", "", piece) for piece in pieces)  # TASK... of {TASK...}...
        return [one.removesuffix("...") if "..." in one[:-3] else one for one in plain]


class _Group(_PlainHelp, TyperGroup):
    """Commands under a name."""


class _Commands(_Group):
    """Runs the command and reports its errors."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return [name for names in PANELS.values() for name in names]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in MOVED:
            ctx.fail(f"{args[0]} is now: maxcode {MOVED[args[0]]}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        request, unset = super().invoke(ctx)
        try:
            code = _run(request, unset)
        except MaxcodeError as error:
            if ctx.params["debug"]:
                _print_error("".join(traceback.format_exception(error)))
            _print_error(f"error: {error}")
            code = BAD_INPUT if isinstance(error, InputError | JournalError | ToolError) else FAILED
        except KeyboardInterrupt:
            typer.echo("interrupted; nothing had been found that could be kept", err=True)
            code = INTERRUPTED
        except BrokenPipeError:
            raise  # whoever read our output has gone; typer ends quietly
        except Exception as error:  # noqa: BLE001 - printed whole, with a code of its own
            _print_error("".join(traceback.format_exception(error)))
            where = "; ".join(getattr(error, "__notes__", ())) or "a fault in maxcode, see above"
            _print_error(f"error: {type(error).__name__}: {error} ({where})")
            code = FAILED
        raise typer.Exit(code)


def _run(request: Any, unset: Collection[str]) -> int:
    """Run the command of a request with the settings of its folder; gives the exit code."""
    handler = dict(COMMANDS.values())[type(request)]
    request = resolve_name("maxcode.cli.settings:with_settings")(request, unset)
    if isinstance(request, commands.Told):
        for path in filter(None, (request.markdown, request.junit)):
            resolve_name("maxcode.cli.console:check_writable")(Path(path).absolute())
    with resolve_name("maxcode.cli.console:patient")(_SILENT.get(handler, "")):
        code: int = resolve_name(f"maxcode.cli.{handler}")(request)
    return code


class _Command(_PlainHelp, TyperCommand):
    """A command whose errors name files plainly; gives its request and the options not given."""

    def invoke(self, ctx: Any) -> Any:
        given = {name: ctx.get_parameter_source(name) for name in ctx.params}
        unset = {name for name, one in given.items() if one is None or one.name == "DEFAULT"}
        return super().invoke(ctx), unset

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        inputs = "--inputs" in args
        try:
            return super().parse_args(ctx, _with_values(args))
        except Exception as error:
            if hasattr(error, "message"):  # names of files may be anything
                unquoted = inputs and "unexpected extra argument" in error.message
                quotes = "; put the pattern after --inputs in quotes" if unquoted else ""
                error.message = plain(error.message + quotes)
            raise


class _SearchCommand(_Command):
    """Shows its usual options; all of them after --help-all."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        usual = {name: place for place, name in enumerate(USUAL)}
        self.params.sort(key=lambda one: usual.get(one.name or "", len(usual)))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--help-all" in args:
            super().format_help(ctx, ctx.make_formatter())
            ctx.exit()
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            name = getattr(error, "option_name", "").lstrip("-")
            option = name.replace("-", "_").removeprefix("rtg_")
            takes_options = any(one.name == "options" for one in self.params)
            if takes_options and any(one.name == option for one in fields(Options)):
                ctx.fail(f"--{name} is now: --options {option}=VALUE")
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        parameters: list[Any] = [*self.params]
        rare = [one for one in parameters if one.name not in USUAL and not one.required]
        for one in rare:
            one.hidden = True
        super().format_help(ctx, formatter)
        for one in rare:
            one.hidden = False
        typer.echo(f" --help-all shows {len(rare)} more options.\n")


def _with_values(arguments: list[str]) -> list[str]:
    """Arguments with the meant values of :data:`_OPTIONAL` options."""
    found = []
    for argument, following in zip(arguments, [*arguments[1:], "-"], strict=False):
        found.append(argument)
        if argument in _OPTIONAL and following.startswith("-"):
            found.append(_OPTIONAL[argument])
    return found


def _print_error(message: str) -> None:
    typer.echo(plain(SECRETS.redact(message.rstrip("\n"))), err=True)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_panels = {name: panel for panel, names in PANELS.items() for name in names}
_groups = {name: typer.Typer(cls=_Group, no_args_is_help=True) for name in GROUPS}
for _name, (_arguments, _) in COMMANDS.items():
    _group, _, _last = _name.rpartition(" ")
    _searches = issubclass(_arguments, commands.SearchArgs | commands.Resume)
    setattr(_arguments, "__signature__", described(_arguments))  # noqa: B010 - no attribute of types
    _groups.get(_group, app).command(
        _last,
        cls=_SearchCommand if _searches else _Command,
        help=description(_arguments),
        rich_help_panel=_panels.get(_name),
    )(_arguments)
for _name, _help in GROUPS.items():
    app.add_typer(_groups[_name], name=_name, help=_help, rich_help_panel=_panels[_name])


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"maxcode {version('maxcode')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and end."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Also print the traceback of an error.")
    ] = False,
) -> None:
    """Makes programs and kernels measurably faster: propose, verify, time, keep the best found."""


def main() -> None:
    """The entry point."""
    warnings.formatwarning = lambda message, *_, **__: (
        f"warning: {plain(SECRETS.redact(str(message)))}\n"
    )
    app()


if __name__ == "__main__":
    main()
