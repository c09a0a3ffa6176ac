"""Patches for `git apply`, and commits of branches, of the best program."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import count
from pathlib import Path, PurePosixPath

from maxcode.cli.summary import NO_FLAGS, each_speedup, only_flags, patch, without_flags
from maxcode.errors import InputError
from maxcode.files import write_bytes
from maxcode.search.result import Result
from maxcode.sources import to_bytes
from maxcode.system import find_tool
from maxcode.tasks.project import ProjectTask
from maxcode.tasks.project_files import OWN_FILES
from maxcode.text import counted, factor, interval, plain
from maxcode.tree import ROOT

_SUFFIX = ".maxcode.patch"  # which no snapshot of a project takes for a file of its own


def save_patch(result: Result, out: str | None) -> Path:
    """Write the patch to the best program, to NAME.maxcode.patch if not to ``out``; gives its path.

    Raises :class:`InputError` when it cannot be written.
    """
    text = patch(result)
    path = Path(out).absolute() if out else _free(result, text)
    write_bytes(path, to_bytes(text))
    return path


def _free(result: Result, text: str) -> Path:
    """The first name that is free or holds this very patch."""
    stem = re.sub(r"[^\w.-]+", "-", result.task).strip("-.") or "project"
    for number in count(1):
        path = Path.cwd() / f"{stem}{f'-{number}' if number > 1 else ''}{_SUFFIX}"
        if not path.exists() or path.read_bytes() == to_bytes(text):
            return path
    raise InputError("no name is free")  # never: numbers do not end


def flags_of(text: str) -> str | None:
    """The flags that a patch says to compile with; None where it says nothing."""
    found = re.search(r"^# compile with: (.*)$", text, re.MULTILINE)
    return found[1].strip().replace(NO_FLAGS, "") if found else None


def commit_patch(task: ProjectTask, result: Result, branch: str) -> str:
    """Commit the patch on a new branch of the project's repository; gives the commit's id.

    Neither the branch that is checked out nor any file is touched. Raises :class:`InputError`
    where there is no repository, or its files are not the measured files.
    """
    if only_flags(result):
        raise InputError(
            f"run {result.run_id} found nothing but compiler flags, which no file of the project "
            f"holds: compile with {flags_of(patch(result))}"
        )
    folder = task.folder
    _git(folder, ["check-ref-format", "--branch", branch])
    top = Path(_git(folder, ["rev-parse", "--show-toplevel"]).strip())
    prefix = _git(folder, ["rev-parse", "--show-prefix"]).strip()
    status = ["status", "--porcelain", "-z", "--untracked-files=all", "--", "."]
    changed = [entry[3:] for entry in _git(folder, status).split("\0") if len(entry) > 3]
    if others := [path for path in changed if not _is_own(path)]:
        raise InputError(
            f"{folder} has {counted(len(others), 'change')} that no commit holds "
            f"({plain(others[0])}); commit or stash them, so that the branch is what was measured"
        )
    before, after = (without_flags(one) for one in (result.tree[ROOT].program, result.program))
    with tempfile.TemporaryDirectory(prefix="maxcode-") as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch, "index"))}
        _git(top, ["read-tree", "HEAD"], index)
        for path in before.changed(after):
            _stage(top, f"{prefix}{path}", after.files.get(path), index)
        tree = _git(top, ["write-tree"], index).strip()
    message = _message(task, result)
    commit = _git(top, ["commit-tree", tree, "-p", "HEAD", "-m", message]).strip()
    _git(top, ["branch", branch, commit])
    return commit


def _stage(top: Path, path: str, text: str | None, index: Mapping[str, str]) -> None:
    """Put a file into an index as ``git add`` would, with its line ends; None removes it."""
    if text is None:
        _git(top, ["update-index", "--force-remove", "--", path], index)
        return
    hashed = ["hash-object", "-w", "--stdin", f"--path={path}"]
    blob = _git(top, hashed, data=to_bytes(text)).strip()
    mode = _git(top, ["ls-files", "--stage", "--", f":(literal){path}"], index)[:6] or "100644"
    _git(top, ["update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}"], index)


def _message(task: ProjectTask, result: Result) -> str:
    """The commit message: figures, and the command that measures them again."""
    speedup = result.speedup
    lines = [
        f"Make {plain(task.name)} {factor(speedup.value)} faster",
        "",
        f"{100 * speedup.level:g}% interval {factor(speedup.low)} to {factor(speedup.high)}, "
        f"{'confirmed with fresh samples' if result.confirmed else 'not confirmed'}.",
        *(f"  {interval(one)} {plain(name)}" for name, one in each_speedup(result).items()),
        "",
        f"Benchmark: {'; '.join(task.commands.bench)}",
        f"Tests: {task.commands.test or 'none; what the benchmark prints was compared'}",
        *result.baseline.machine.splitlines()[:2],
    ]
    if flags := flags_of(patch(result)):
        lines.append(f"Measured with compiler flags that no file holds: {flags}")
    lines += ["", f"Measure it again: maxcode verify {result.run_id}"]
    return "\n".join(map(plain, lines)) + "\n"


def _git(
    folder: Path,
    arguments: Sequence[str],
    more: Mapping[str, str] | None = None,
    data: bytes = b"",
) -> str:
    """The output of git, given ``data``. Raises :class:`InputError` with its error."""
    done = subprocess.run(
        [find_tool("git"), *arguments],
        cwd=folder,
        env={**os.environ, **(more or {})},
        input=data,
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        problem = plain(done.stderr.decode("utf-8", "replace").strip())
        raise InputError(f"git {arguments[0]} in {folder}: {problem}")
    return done.stdout.decode("utf-8", "surrogateescape")


def _is_own(path: str) -> bool:
    return any(fnmatchcase(PurePosixPath(path).name, name) for name in OWN_FILES)
