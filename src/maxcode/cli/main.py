"""The program `maxcode`: its commands, how it reports errors, and its exit codes.

::

    0    done, something faster was found (or the command had another thing to do, and did it)
    1    nothing faster was found; ``doctor``: the main job cannot run here; ``judge``: not all
         could be judged; ``audit``: a task would be passed without computing, or could not be
         audited; ``compare`` and ``bench``: a run failed
    2    wrong use, bad input, or this machine lacks something: no run was begun or gone on with
    3    the run failed after that, or maxcode itself did; what was finished is kept
    130  interrupted (143 when by SIGTERM)
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from maxcode.cli import (
    commands,
    rtg_commands,
)
from maxcode.cli.compare_commands import BenchFolder, BenchKernelBench, BenchPie, Compare
from maxcode.cli.search_commands import Optimize, Resume
from maxcode.errors import InputError, JournalError, MaxcodeError, ToolError

BAD_INPUT = 2
FAILED = 3
INTERRUPTED = 130


_HANDLERS: dict[type, str] = {
    Optimize: "optimize:start",
    Resume: "optimize:resume",
    commands.Show: "show:show",
    commands.Runs: "runs:runs",
    commands.Init: "init:init",
    commands.Judge: "judge:judge",
    commands.Audit: "audit:audit",
    Compare: "compare:compare",
    BenchKernelBench: "bench:kernelbench",
    BenchPie: "bench:pie",
    BenchFolder: "bench:folder",
    commands.Merge: "merge:merge",
    commands.Efficiency: "efficiency:efficiency",
    commands.Export: "export:export",
    commands.Report: "report:report",
    commands.View: "view:view",
    commands.Doctor: "doctor:doctor",
    rtg_commands.RtgDataset: "rtg_dataset:dataset",
    rtg_commands.RtgTrain: "rtg_train:train",
    rtg_commands.RtgEvaluate: "rtg_evaluate:evaluate",
}
"""Module and function of each command: what takes long to import waits until it is needed."""


def _do(command: commands.Command) -> int:
    """Have a command done; gives the exit code."""
    module, _, name = _HANDLERS[type(command)].partition(":")
    do: Callable[[commands.Command], int] = getattr(import_module(f"maxcode.cli.{module}"), name)
    return do(command)


class _Commands(TyperGroup):
    """Runs the command that was read from the command line, and says what went wrong."""

    def invoke(self, ctx: Any) -> Any:
        command: commands.Command = super().invoke(ctx)
        try:
            code = _do(command)
        except MaxcodeError as error:
            if ctx.params["debug"]:
                traceback.print_exception(error)
            typer.echo(f"error: {error}", err=True)
            code = BAD_INPUT if isinstance(error, InputError | JournalError | ToolError) else FAILED
        except KeyboardInterrupt:
            typer.echo("interrupted; nothing had been found that could be kept", err=True)
            code = INTERRUPTED
        except BrokenPipeError:
            raise  # whoever read our output has gone; typer ends quietly
        except Exception as error:  # noqa: BLE001 - printed whole, with a code of its own
            traceback.print_exception(error)
            where = "; ".join(getattr(error, "__notes__", ())) or "a fault in maxcode, see above"
            typer.echo(f"error: {type(error).__name__}: {error} ({where})", err=True)
            code = FAILED
        raise typer.Exit(code)


class _Command(TyperCommand):
    """Names arguments plainly in its line of usage, whatever the version of typer."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            _say_quotes(error, given)
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [_plain(piece) for piece in super().collect_usage_pieces(ctx)]


def _say_quotes(error: Any, given: list[str]) -> None:
    """Tell of quotes where a shell has put files in the place of the pattern after --inputs."""
    if "--inputs" in given and "unexpected extra argument" in str(getattr(error, "message", "")):
        first = Path("".join(given[given.index("--inputs") + 1 :][:1]))
        error.message += (
            "; put the pattern after --inputs in quotes, or the shell puts files in its place: "
            f"--inputs '{first.parent / f'*{first.suffix}'}'"
        )


def _plain(piece: str) -> str:
    """``TASK...`` of ``{TASK...}...``; what is optional keeps its brackets."""
    piece = piece.translate({ord("{"): "", ord("}"): ""})
    return piece.removesuffix("...") if "..." in piece[:-3] else piece


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("optimize")(Optimize)
app.command("resume")(Resume)
app.command("show")(commands.Show)
app.command("runs")(commands.Runs)
app.command("init")(commands.Init)
app.command("judge")(commands.Judge)
app.command("audit")(commands.Audit)
app.command("compare")(Compare)
app.command("merge")(commands.Merge)
app.command("efficiency")(commands.Efficiency)
app.command("export")(commands.Export)
app.command("report")(commands.Report)
app.command("view")(commands.View)
app.command("doctor")(commands.Doctor)

bench = typer.Typer(no_args_is_help=True)
bench.command("kernelbench")(BenchKernelBench)
bench.command("pie")(BenchPie)
bench.command("folder")(BenchFolder)
app.add_typer(
    bench, name="bench", help="Run methods over KernelBench, PIE or a collection of your own."
)

rtg = typer.Typer(no_args_is_help=True)
rtg.command("dataset")(rtg_commands.RtgDataset)
rtg.command("train")(rtg_commands.RtgTrain)
rtg.command("evaluate")(rtg_commands.RtgEvaluate)
app.add_typer(
    rtg, name="rtg", help="Models that say which candidates are worth running: reward-to-go."
)

for _command in (*app.registered_commands, *bench.registered_commands, *rtg.registered_commands):
    _command.cls = _Command


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
        bool, typer.Option("--debug", help="Print the traceback of an error, too.")
    ] = False,
) -> None:
    """Makes programs and kernels measurably faster: propose, verify, time, keep the best found."""


def main() -> None:
    """The entry point."""
    app()


if __name__ == "__main__":
    main()
