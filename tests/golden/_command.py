"""The command line, called within this process."""

from __future__ import annotations

import io
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib import import_module
from subprocess import CompletedProcess
from typing import Any

import pytest
import typer
from tests.golden._place import ROOT


def app() -> typer.Typer:
    """The application, in the module of the script ``maxcode`` that pyproject.toml names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, _ = project["scripts"]["maxcode"].partition(":")
    found = import_module(module).app
    assert isinstance(found, typer.Typer)
    return found


@cache
def command() -> Any:
    """The application as a command, made once: that takes longer than most commands."""
    return typer.main.get_command(app())


def maxcode(*arguments: object) -> CompletedProcess[str]:
    """Run a command within this process."""
    given, out, err, code = [str(one) for one in arguments], io.StringIO(), io.StringIO(), 0
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        for name, value in {"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}.items():
            patch.setenv(name, value)
        try:
            command().main(given, prog_name="maxcode")
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    return CompletedProcess(given, code, out.getvalue(), err.getvalue())
