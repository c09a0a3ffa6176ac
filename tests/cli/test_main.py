"""The program itself: help, version, and a quick start."""

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version

import pytest
from typer.main import get_command

from maxcode.cli.main import app
from maxcode.options import Options
from maxcode.prompts.prompts import Prompts

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.slow
def test_help_names_every_command(inside: Run) -> None:
    done = inside("--help")
    assert done.returncode == 0
    for command in ("optimize", "resume", "show", "runs", "init", "doctor"):
        assert f" {command} " in done.stdout


@pytest.mark.slow
def test_a_command_explains_its_options(inside: Run) -> None:
    said = inside("optimize", "--help", COLUMNS="120").stdout
    for option in ("--inputs", "--budget", "--policy", "--generator", "--json", "--store"):
        assert option in said


@pytest.mark.slow
def test_version(inside: Run) -> None:
    assert inside("--version").stdout == f"maxcode {version('maxcode')}\n"


@pytest.mark.slow
def test_the_commands_are_known_without_heavy_libraries() -> None:
    code = (
        "import sys, maxcode.cli.main; "
        "print([n for n in ('sqlalchemy', 'pydantic', 'tree_sitter', 'numpy') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.slow
def test_help_says_where_in_flight_has_an_effect(inside: Run) -> None:
    said = inside("optimize", "--help", COLUMNS="300").stdout
    assert "only for policies that ask while others run, such as best-of-n" in said


@pytest.mark.slow
def test_usage_names_arguments_plainly(inside: Run) -> None:
    for command, usage in {
        "optimize": "[OPTIONS] TASK",
        "judge": "[OPTIONS] TASK PROGRAM...",
        "show": "[OPTIONS] [RUN]",
        "export": "[OPTIONS] [RUN...]",
    }.items():
        said = inside(command, "--help").stdout
        assert any(line.rstrip().endswith(f" {command} {usage}") for line in said.splitlines())


def test_options_have_the_defaults_of_the_library() -> None:
    optimize = getattr(get_command(app), "commands")["optimize"]  # noqa: B009 - of a group
    shown = {p.name: getattr(p, "show_default", None) for p in optimize.params}
    given = {p.name: getattr(p, "default", None) for p in optimize.params}
    options = Options()
    for name in ("propose", "run", "explore"):
        assert shown[name] == str(getattr(options, name))
    for name in ("seed", "commit_order", "cache"):
        assert given[name] == getattr(options, name)
    assert given["rtg_guard"] == options.guard
    assert shown["context"] == str(Prompts().context)
