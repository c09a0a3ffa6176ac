"""Public projects for benchmarks: their facts in TOML files, and clones of them."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common import ROOT

MAXCODE = str(Path(sys.executable).with_name("maxcode"))
PATH = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"  # as in the sandbox
ENVIRONMENT = {**os.environ, "PATH": PATH, "PYTHONDONTWRITEBYTECODE": "1"}


@dataclass(frozen=True)
class Public:
    """A project at a commit, the benchmark added to it, and how it is judged.

    ``options`` are those of `maxcode init`; ``path`` is the file that benchmarks change.
    ``edits`` and ``broken`` are pairs of a text and its replacement; ``codes`` are exit codes of
    `verify` by kind of change, where they are not the usual ones.
    """

    repo: str
    commit: str
    language: str
    path: str
    files: dict[str, str]
    options: dict[str, str]
    comment: str = "//"
    edits: tuple[tuple[str, str], ...] = ()
    claim: str = ""
    broken: tuple[str, str] = ("", "")
    empty: str = "true"
    codes: dict[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name in the results."""
        return self.repo.partition("/")[2]

    def init(self, folder: Path) -> dict[str, Any]:
        """Make the task by `maxcode init`; facts of the project, with the problem if it failed."""
        words = [word for key, value in self.options.items() for word in (f"--{key}", value)]
        command = [MAXCODE, "init", str(folder), *words]
        made = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        found = {
            "repo": self.repo,
            "commit": self.commit,
            "language": self.language,
            "settings": len(self.options),
        }
        failed = made.returncode != 0
        return found | ({"problem": f"{made.stdout}{made.stderr}"[-1500:]} if failed else {})

    def add_files(self, folder: Path) -> None:
        """Write the added files into a folder."""
        for path, text in self.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)


def projects(name: str) -> list[Public]:
    """The projects of a TOML file beside this one."""
    text = (ROOT / "benchmarks" / f"{name}.toml").read_text()
    found: list[dict[str, Any]]
    [found] = tomllib.loads(text).values()
    return [Public(**one) for one in found]


def clone(project: Public, revision: str, mirrors: Path, folder: Path) -> None:
    """Clone at a revision, and add the files.

    The source is ``mirrors/owner+name/repo`` where that exists, else GitHub.
    """
    mirror = mirrors / project.repo.replace("/", "+") / "repo"
    source = str(mirror) if mirror.is_dir() else f"https://github.com/{project.repo}"
    subprocess.run(["git", "clone", "--quiet", source, str(folder)], check=True)
    checkout = ["git", "checkout", "--quiet", "--detach", revision]
    subprocess.run(checkout, cwd=folder, check=True)
    project.add_files(folder)
