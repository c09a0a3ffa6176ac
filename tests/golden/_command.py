"""The command line, called within this process."""

from __future__ import annotations

from functools import cache
from typing import Any

import typer
from click.testing import CliRunner, Result

from maxcode.cli.main import app

COMPARISON = (
    *("landscape:seed=2,size=5", "--generator", "landscape", "--critic", "landscape"),
    *("--policy", "maxcode-greedy:k=2", "--budget", "evaluations=2", "--seeds", "1"),
)
"""Arguments of the comparison in the journals."""


@cache
def _command() -> Any:
    """The application as a command, made once: that takes longer than most commands."""
    return typer.main.get_command(app)


def maxcode(*arguments: object) -> Result:
    """Run a command within this process."""
    plain = {"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}
    given = [str(one) for one in arguments]
    return CliRunner().invoke(_command(), given, env=plain, prog_name="maxcode")
