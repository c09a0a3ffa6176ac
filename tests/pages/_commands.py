"""Stands in for commands of the pages, so that they are run as written and end in good time.

* ``maxcode`` is the real one, with smaller budgets: a tenth of the evaluations and at most
  2, with one seed, but on landscapes, which take no time; programs are measured in few rounds. With
  ``DOCS_DRY_RUN`` searches are given ``--dry-run``.
* ``pip install`` installs nothing, but fails where an extra does not exist.
* ``python3 -m venv`` makes a folder with these commands.
* what changes the machine (``sudo``, ``apt``, ``docker``, ...) fails: such blocks are marked.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
BRIEF = Path(__file__).with_name("_brief.py")  # the command, measuring in few rounds
SEARCHES = {"optimize", "compare", "bench"}
MOST = {"evaluations": 2, "seeds": 1}
OF_ALL = 10
RUN = f'import sys; sys.path.append("{ROOT}"); from tests.pages._commands import main; main()'
REFUSED = ("sudo", "apt", "apt-get", "docker", "ssh")


def install(folder: Path) -> None:
    """Put the commands into a folder, which goes to the front of the PATH."""
    folder.mkdir(parents=True)
    for name in ("maxcode", "pip", "python", "python3", *REFUSED):
        script = folder / name
        script.write_text(f"#!/bin/sh\nexec '{sys.executable}' -IS -c '{RUN}' {name} \"$@\"\n")
        script.chmod(0o755)


def maxcode(arguments: list[str]) -> int:
    """The real command, its budget cut."""
    command = next((argument for argument in arguments if not argument.startswith("-")), "")
    if command in {*SEARCHES, "resume"} and not any("landscape" in one for one in arguments):
        arguments = cut(arguments, command)
    if command in SEARCHES and os.environ.get("DOCS_DRY_RUN") and "--dry-run" not in arguments:
        arguments += ["--dry-run"]
    code = subprocess.run([sys.executable, BRIEF, *arguments], check=False).returncode
    found_nothing = command in {"optimize", "resume"} and code == 1
    return 0 if found_nothing else code  # so few evaluations may find nothing faster


def cut(arguments: list[str], command: str) -> list[str]:
    """The arguments with fewer evaluations and seeds, added where missing."""
    less = []
    for before, argument in zip(["", *arguments], arguments, strict=False):
        if before == "--seeds":
            less.append(str(min(int(argument), MOST["seeds"])))
        elif before == "--budget":  # resuming takes more than there was
            less.append(_cut(argument, MOST["evaluations"] + (command == "resume")))
        else:
            less.append(argument)
    if command in SEARCHES and "--budget" not in less:
        less += ["--budget", f"evaluations={MOST['evaluations']}"]
    for option in ("--fuzz", "--minimise"):
        if command == "optimize" and option not in less:
            less += [option, "0"]
    if command == "compare" and "--seeds" not in less:
        less += ["--seeds", str(MOST["seeds"])]
    return less


def _cut(budget: str, most: int) -> str:
    if "evaluations=" not in budget:
        return f"{budget},evaluations={most}"
    return re.sub(
        r"\bevaluations=(\d+)",
        lambda match: f"evaluations={min(-(-int(match[1]) // OF_ALL), most)}",
        budget,
    )


def pip(arguments: list[str]) -> int:
    """Check the extras that would be installed."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extras in re.findall(r"(?:maxcode|\.)\[([\w,-]+)\]", " ".join(arguments)):
        for extra in extras.split(","):
            if extra not in known["optional-dependencies"]:
                sys.stderr.write(f"no such extra: {extra}\n")
                return 1
    return 0


def python(arguments: list[str]) -> int:
    """The real one, but for virtual environments."""
    if arguments[:2] == ["-m", "venv"]:
        install(Path(arguments[2]) / "bin")
        return 0
    if arguments[:2] == ["-m", "pip"]:
        return pip(arguments[2:])
    return subprocess.run([sys.executable, *arguments], check=False).returncode


def main() -> None:
    """Do what a page's command does, in tests."""
    name, *given = sys.argv[1:]
    if name in REFUSED:
        sys.exit(f"{name}: not in a test; mark the block as not run")
    sys.exit({"maxcode": maxcode, "pip": pip}.get(name, python)(given))
