"""The command line as it is called, and as it is declared."""

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

_TYPES = {"text": "str", "integer": "int", "boolean": "bool"}
"""What older versions of typer call the types."""

_TYPERS_OWN = {"--install-completion", "--show-completion"}


def app() -> typer.Typer:
    """The application, in the module of the script ``maxcode`` that pyproject.toml names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, _ = project["scripts"]["maxcode"].partition(":")
    found = import_module(module).app
    assert isinstance(found, typer.Typer)
    return found


@cache
def command() -> Any:
    """The same, made of its declarations once: that takes longer than most commands."""
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


def declared() -> dict[str, Any]:
    """Every command with its arguments and options, by its name: ``maxcode bench pie``."""
    return dict(_walked("maxcode", command()))


def _walked(name: str, command: Any) -> list[tuple[str, Any]]:
    parameters = [p for p in command.params if not _TYPERS_OWN & set(p.opts)]
    own = {
        "arguments": [_parameter(p) for p in parameters if p.param_type_name == "argument"],
        "options": {
            ", ".join([*p.opts, *p.secondary_opts]): _parameter(p)
            for p in sorted(parameters, key=lambda p: p.opts)
            if p.param_type_name == "option"
        },
    }
    found: list[tuple[str, Any]] = [(name, own)]
    for child in sorted(getattr(command, "commands", {})):
        found += _walked(f"{name} {child}", command.commands[child])
    return found


def _parameter(parameter: Any) -> dict[str, Any]:
    """All of it but the words; what says nothing is left out."""
    told = {
        "name": parameter.metavar if parameter.param_type_name == "argument" else None,
        "type": _type(parameter),
        "metavar": None if parameter.param_type_name == "argument" else parameter.metavar,
        "default": parameter.default,
        "required": parameter.required or None,
        "several": True if parameter.nargs == -1 or parameter.multiple else None,
        "values": parameter.nargs if parameter.nargs not in (1, -1) else None,
        "flag": getattr(parameter, "is_flag", None) or None,
        "counted": getattr(parameter, "count", None) or None,
        "min": _bound(parameter, "min"),
        "max": _bound(parameter, "max"),
        "variable": parameter.envvar,
        "hidden": parameter.hidden or None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _type(parameter: Any) -> str:
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is None:
        name = str(parameter.type.name).removesuffix(" range")
        return _TYPES.get(name, name)
    element = getattr(descriptor.annotation, "__args__", None)
    if element and all(isinstance(one, str) for one in element):
        return "|".join(element)
    return str((element[0] if element else descriptor.annotation).__name__)


def _bound(parameter: Any, which: str) -> Any:
    own = getattr(parameter, which, None)
    return getattr(getattr(parameter, "type", None), which, None) if own is None else own
