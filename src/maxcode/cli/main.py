# ruff: noqa: PLC0415 - imports that take long wait for the command that needs them
"""The program `maxcode`: its commands, how it reports errors, and its exit codes.

::

    0    done, something faster was found (or the command had another thing to do, and did it)
    1    nothing faster was found; ``doctor``: the main job cannot run here; ``judge``: not all
         could be judged; ``audit``: a task would be passed without computing, or could not be
         audited; ``compare``: a run failed
    2    wrong use, bad input, or this machine lacks something: no run was begun or gone on with
    3    the run failed after that, or maxcode itself did; what was finished is kept
    130  interrupted (143 when by SIGTERM)
"""

from __future__ import annotations

import traceback
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from maxcode.cli import commands, rtg_commands
from maxcode.cli.search_commands import Compare, Optimize, Resume
from maxcode.errors import InputError, JournalError, MaxcodeError, ToolError

BAD_INPUT = 2
FAILED = 3
INTERRUPTED = 130


def _do(command: commands.Command) -> int:
    """Have a command done; gives the exit code."""
    match command:
        case Optimize():
            from maxcode.cli.optimize import start

            code = start(command)
        case Resume():
            from maxcode.cli.optimize import resume

            code = resume(command)
        case commands.Show():
            from maxcode.cli.show import show

            code = show(command)
        case commands.Runs():
            from maxcode.cli.runs import runs

            code = runs(command)
        case commands.Init():
            from maxcode.cli.init import init

            code = init(command)
        case commands.Judge():
            from maxcode.cli.judge import judge

            code = judge(command)
        case commands.Audit():
            from maxcode.cli.audit import audit

            code = audit(command)
        case Compare():
            from maxcode.cli.compare import compare

            code = compare(command)
        case commands.Doctor():
            from maxcode.cli.doctor import doctor

            code = doctor()
        case _:
            code = _do_rtg(command)
    return code


def _do_rtg(command: rtg_commands.RtgCommand) -> int:
    match command:
        case rtg_commands.Dataset():
            from maxcode.cli.rtg_dataset import dataset

            code = dataset(command)
        case rtg_commands.Train():
            from maxcode.cli.rtg_train import train

            code = train(command)
        case rtg_commands.Evaluate():
            from maxcode.cli.rtg_evaluate import evaluate

            code = evaluate(command)
    return code


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
app.command("doctor")(commands.Doctor)

rtg = typer.Typer(no_args_is_help=True)
rtg.command("dataset")(rtg_commands.Dataset)
rtg.command("train")(rtg_commands.Train)
rtg.command("evaluate")(rtg_commands.Evaluate)
app.add_typer(
    rtg, name="rtg", help="Models that say which candidates are worth running: reward-to-go."
)


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
