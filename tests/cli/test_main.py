"""The program itself: help, version, and a quick start."""

import re
import subprocess
import sys
from importlib.metadata import version
from itertools import pairwise

import pytest
from tests.cli.conftest import Run

from maxcode.cli.main import COMMANDS, MOVED, PANELS


@pytest.mark.slow
def test_help_names_every_command(inside: Run) -> None:
    done = inside("--help", code=0)
    names = [name for names in PANELS.values() for name in names]
    assert len(names) <= 16
    shown = re.findall(r"^│ ([a-z]+) ", done.stdout, re.MULTILINE)
    assert shown == names == [*dict.fromkeys(shown)]
    assert set(names) == {command.partition(" ")[0] for command in COMMANDS}
    assert re.findall(r"^╭─ (\w+) ", done.stdout, re.MULTILINE) == ["Options", *PANELS]


@pytest.mark.parametrize(("name", "now"), MOVED.items())
def test_a_name_that_went_says_what_to_type(inside: Run, name: str, now: str) -> None:
    inside(name, "--help", code=2, says=f"{name} is now: maxcode {now}")
    command = max((known for known in COMMANDS if f"{now} ".startswith(f"{known} ")), key=len)
    options = [word for word in now.split() if word.startswith("--")]
    known = inside(*command.split(), "--help").stdout
    assert all(option in known for option in options)


@pytest.mark.parametrize(
    ("former", "now"),
    [("--attempts", "attempts"), ("--in-flight", "in_flight"), ("--rtg-guard", "guard")],
)
def test_an_option_that_went_says_what_to_type(inside: Run, former: str, now: str) -> None:
    told = f"{former} is now: --options {now}=VALUE"
    inside("optimize", "landscape", former, "0", code=2, says=told)


@pytest.mark.slow
def test_help_fits_a_narrow_screen(inside: Run) -> None:
    for command in COMMANDS:
        said = inside(*command.split(), "--help", COLUMNS="80").stdout
        assert all(len(line) <= 80 for line in said.splitlines())
        assert "…" not in said
        told = [line.strip() for line in said.partition("╭")[0].splitlines()]
        for line, following in pairwise(told[3:]):
            joined = f"{line} {following.partition(' ')[0]}"
            assert not (line and following) or len(joined) > 78, joined


@pytest.mark.slow
def test_a_command_explains_its_options(inside: Run) -> None:
    said = inside("optimize --help", COLUMNS="120").stdout
    for option in ("--inputs", "--budget", "--policy", "--generator", "--json", "--store"):
        assert option in said
    shown = set(re.findall("│ (--[a-z-]+)", said))
    assert len(shown) < 14
    every = inside("optimize --help-all", COLUMNS="120").stdout
    assert shown < set(re.findall("│ (--[a-z-]+)", every))
    assert f"--help-all shows {len(re.findall('│ (--[a-z-]+)', every)) - len(shown)} more" in said


def test_flags_name_no_value(inside: Run) -> None:
    for command in ("", *COMMANDS):
        said = inside(*command.split(), "--help-all" if command == "optimize" else "--help").stdout
        assert "<bool>" not in said
        assert " -o " in said or "--out" not in said


def test_an_unknown_name_is_asked_about(inside: Run) -> None:
    for words, meant in {
        ("optimise", "t"): "Did you mean 'optimize'?",
        ("optimize", "landscape", "--polcy", "x"): "--policy",
        ("optimize", "landscape", "--policy", "mxcode"): "did you mean maxcode?",
        ("optimize", "landscape", "--policy", "maxcode:kk=3"): "did you mean k?",
    }.items():
        inside(*words, code=2, says=meant)


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
def test_usage_names_arguments_plainly(inside: Run) -> None:
    for command, usage in {
        "optimize": "[OPTIONS] TASK",
        "judge": "[OPTIONS] TASK [PROGRAM...]",
        "show": "[OPTIONS] [RUN]",
        "store export": "[OPTIONS] [RUN...]",
    }.items():
        said = inside(*command.split(), "--help").stdout
        assert any(line.rstrip().endswith(f" {command} {usage}") for line in said.splitlines())
