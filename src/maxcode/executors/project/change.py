"""Changes of a project: from commits, a branch, the working tree or a patch, against the original.

Both sides are read by git, in folders of their own; the user's folder and repository stay as they
are. The change is what it does to editable files. Tests, benchmarks and build files stay the
original's, and files without effect, such as a changelog, are left out; all of these are named.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from maxcode.errors import InputError
from maxcode.program import Program
from maxcode.sources import from_bytes, shown, to_bytes
from maxcode.system import find_tool
from maxcode.task import Task
from maxcode.tasks.project import FLAGS_FILE, ProjectTask, load_project_folder
from maxcode.tasks.project_files import Snapshot, is_protected, is_test, matches
from maxcode.text import counted

_TASK_FILE = "task.toml"
_ASIDE = re.compile(
    r"(?:.*/)?(?:(?:docs?|changes|changelog(?:\.d)?|newsfragments|\.(?!cargo/)[^/]+)/.*"
    r"|(?:tools?|scripts?|contrib|examples?)/.*"
    r"|(?:change(?:s|log)|news|history|readme|licen[cs]e|copying|authors|contribut(?:ors|ing)"
    r"|todo|release[-_]?notes)(?:\.(?:md|rst|txt|adoc|html))?"
    r"|\.[^/]*|[^/]*\.(?:md|rst|adoc))",
    re.IGNORECASE,
)
"""Files without effect on what is measured: documentation, changelogs, tools of developers."""

_HEADER = re.compile(r"^(?:diff --git |--- )", re.MULTILINE)
_COLOURS = re.compile(r"\x1b\[[\d;]*[mK]")
_OF_HOOKS = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"}
"""Variables of a hook of git, which would name another repository."""

_NAMED = 3  # files named in a message


@dataclass(frozen=True, slots=True)
class Change:
    """A changed program of a task. ``task.folder`` is the original, perhaps in a scratch folder.

    ``ignored`` names the files left out, in words; ``build_files`` are those of the build.
    """

    task: Task
    program: Program
    ignored: tuple[str, ...] = ()
    build_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sides:
    """Commits to compare; ``changed`` is None for the working tree."""

    original: str
    changed: str | None = None


def sides(folder: Path, source: str) -> Sides | None:
    """Commits of ``A..B``, ``A...B`` (from the merge base), a branch, or a commit.

    A branch is compared with its merge base with the current branch, a commit with its parent. None
    if ``source`` is no range, and git knows no such commit. Raises :class:`InputError`.
    """
    a, dots, b = source.partition("...") if "..." in source else source.partition("..")
    if dots:
        original, changed = _commit(folder, a or "HEAD"), _commit(folder, b or "HEAD")
        return Sides(_base(folder, original, changed) if dots == "..." else original, changed)
    done = _git(folder, "rev-parse", "--verify", "--quiet", f"{source}^{{commit}}")
    if done.returncode != 0:
        return None
    changed = _text(done)
    names = (f"refs/heads/{source}", f"refs/remotes/{source}")
    if any(_git(folder, "show-ref", "--verify", "--quiet", one).returncode == 0 for one in names):
        original = _base(folder, "HEAD", changed)
        if original == changed:
            raise InputError(
                f"branch {source} has no commit that the current branch lacks; name both sides: "
                f"maxcode verify main..{source}"
            )
        return Sides(original, changed)
    return Sides(_commit(folder, f"{source}^"), changed)


def change_in_git(folder: Path, of: Sides, scratch: Path, *, their_tests: bool = False) -> Change:
    """The change between two commits, or of the working tree, of the project in ``folder``.

    ``task.toml`` is the original's, or else the folder's. With ``their_tests`` both sides have the
    change's tests and benchmarks. Untracked files of the folder outside ``editable`` are added to
    both commits. Raises :class:`InputError` for a change that cannot be judged.
    """
    prefix = _text(_done(folder, "rev-parse", "--show-prefix"))
    named = ["diff", "--name-only", "-z", "--no-renames", "--end-of-options", of.original]
    paths = _names(_done(folder, *named, *([of.changed] if of.changed else [])))
    loose = _names(_done(folder, "ls-files", "-z", "--others", "--exclude-standard", "."))
    original = _checkout(folder, of.original, scratch / "original") / prefix
    changed = folder
    if of.changed:
        changed = _checkout(folder, of.changed, scratch / "changed") / prefix
    if not (original / _TASK_FILE).exists():
        if not (folder / _TASK_FILE).is_file():
            raise InputError(f"there is no {_TASK_FILE} in {folder}; maxcode init makes one")
        original.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / _TASK_FILE, original)
    task = load_project_folder(original)
    if of.changed:
        _laid(folder, original, (one for one in loose if not task.patterns.match(one)), new=True)
    if include := task.patterns.include:
        brought = Snapshot.of(folder, include=include).paths
        _laid(folder, original, (one for one in brought if matches(include, one)), new=True)
    inside = [one.removeprefix(prefix) for one in paths if one.startswith(prefix)]
    outside = len(paths) - len(inside)
    if not of.changed:
        inside += [one for one in loose if one != _TASK_FILE]
    if their_tests:
        inside = _with_tests(original, changed, inside)
    made = _change(load_project_folder(original), inside, changed)
    if not outside:
        return made
    more = f"{counted(outside, 'file')} outside of the project's folder"
    return Change(made.task, made.program, (*made.ignored, more), made.build_files)


def change_of_patch(folder: Path, text: str, scratch: Path, *, their_tests: bool = False) -> Change:
    """The change by a patch of the project in ``folder``, as it is.

    Parts of the patch for files that are left out need not apply. Coloured patches, and patches
    without the prefixes of git, are understood. Raises :class:`InputError`.
    """
    task = load_project_folder(folder)
    text = _COLOURS.sub("", text)
    if not _HEADER.search(text):
        return Change(task, task.baseline)
    copy = scratch / "changed"
    Snapshot.of(folder).copy(copy)
    level, paths = _level(copy, text)
    wanted = [one for one in paths if task.patterns.match(one) or (their_tests and _decides(one))]
    problem = _applied(copy, text, level, wanted)
    if problem and not _applied(copy, text, level, wanted, "--check", "--reverse"):
        raise InputError(
            f"{folder} has this patch already; maxcode verify FOLDER measures the working tree "
            "against its commit, maxcode verify A..B two commits"
        )
    if problem:  # perhaps it was made with other line ends, or in another encoding
        task.baseline.shown().write(copy)
        if _applied(copy, shown(text), level, wanted):
            raise InputError(f"the patch does not apply to what may be changed:\n{problem}")
        for path in task.sources:
            if (copy / path).is_file():
                read = from_bytes((copy / path).read_bytes())
                kept = task.baseline.with_file(path, read).files[path]
                (copy / path).write_bytes(to_bytes(kept))
    if their_tests:
        original = scratch / "original"
        Snapshot.of(folder).copy(original)
        shutil.copy2(folder / _TASK_FILE, original)
        paths = _with_tests(original, copy, paths)
        task = load_project_folder(original)
    gone = [one for one in task.sources if not (copy / one).exists()]  # by a renaming, too
    return _change(task, dict.fromkeys([*paths, *gone]), copy)


def is_patch(text: str) -> bool:
    """Whether a text is a patch, perhaps a coloured one."""
    return _HEADER.search(_COLOURS.sub("", text)) is not None


def program_of_patch(program: Program, text: str, scratch: Path) -> Program:
    """A program changed by a patch of its files. Raises :class:`InputError`."""
    program.shown().write(scratch)
    text = shown(_COLOURS.sub("", text))
    level, paths = _level(scratch, text)
    if problem := _applied(scratch, text, level, paths):
        raise InputError(f"the patch does not apply to the program:\n{problem}")
    if gone := [path for path in paths if not (scratch / path).exists()]:
        raise InputError(f"the patch removes {_some(gone)}, and files of a program stay")
    return program.with_files({path: from_bytes((scratch / path).read_bytes()) for path in paths})


Kind = Literal["changed", "removed", "mode", "ignored", "test", "build", "refused"]
"""Part of a change: to an editable file, one left out, or one without which it is another."""


def _change(task: ProjectTask, paths: Iterable[str], changed: Path) -> Change:
    """The change by files of a folder. Raises :class:`InputError` for files that matter."""
    by_kind: dict[Kind, list[str]] = {one: [] for one in get_args(Kind)}
    for path in paths:
        by_kind[_kind(task, path, changed / path)].append(path)
    if refused := by_kind["refused"]:
        raise InputError(
            f"without {_some(refused)} it is another change, and these are not judged: not named "
            "by editable in task.toml, or binary, or a link"
        )
    ignored = tuple(_left_out(by_kind))
    files = {
        path: text
        for path, text in task.baseline.files.items()
        if path not in (*by_kind["changed"], *by_kind["removed"])
    }
    files |= {path: from_bytes((changed / path).read_bytes()) for path in by_kind["changed"]}
    if not (by_kind["changed"] or by_kind["removed"]):
        only = f"; it changes {', '.join(ignored)}" if ignored else ""
        raise InputError(f"it changes nothing of the files that editable in task.toml names{only}")
    sources = [one for one in files if one != FLAGS_FILE]
    if not sources:
        raise InputError("it removes all files that editable in task.toml names")
    entry = task.baseline.entry if task.baseline.entry in files else sources[0]
    try:
        return Change(task, Program(files, entry), ignored, tuple(by_kind["build"]))
    except ValueError as error:
        raise InputError(str(error)) from error


def _kind(task: ProjectTask, path: str, file: Path) -> Kind:
    if not task.patterns.match(path):
        if is_protected(path):
            return "test" if is_test(path) else "build"
        aside = path == _TASK_FILE or matches(task.patterns.exclude, path)
        return "ignored" if aside or _ASIDE.fullmatch(path) else "refused"
    try:
        text = _text_of(file)
    except UnicodeDecodeError:
        return "ignored" if _ASIDE.fullmatch(path) else "refused"
    if text == task.baseline.files.get(path):
        return "mode"
    return "removed" if text is None else "changed"


def _left_out(by_kind: Mapping[Kind, Sequence[str]]) -> Iterator[str]:
    """Files left out, in words."""
    if ignored := by_kind["ignored"]:
        yield _some(ignored)
    if modes := by_kind["mode"]:
        yield f"the mode of {_some(modes)}"
    if tests := by_kind["test"]:
        hint = "the original's were run; run the new ones: --their-tests"
        yield f"{counted(len(tests), 'test file')} ({hint})"
    if build := by_kind["build"]:
        yield f"{_some(build)} (the original's build files were used)"


def _text_of(file: Path) -> str | None:
    """Text of a file; None if there is none. Raises UnicodeDecodeError for binaries and links."""
    if file.is_symlink() or file.is_dir():
        raise UnicodeDecodeError("utf-8", b"", 0, 0, "a link or a folder")
    return from_bytes(file.read_bytes()) if file.exists() else None


def _decides(path: str) -> bool:
    """Whether a file is a test or a benchmark."""
    return is_protected(path) and is_test(path)


def _some(paths: Sequence[str]) -> str:
    more = len(paths) - _NAMED
    named = ", ".join(paths[:_NAMED] if more > 1 else paths)
    return f"{named} and {more} more" if more > 1 else named


def _with_tests(original: Path, changed: Path, paths: Iterable[str]) -> list[str]:
    """Lay the change's tests over the original; the other paths."""
    kept = list(paths)
    tests = [one for one in kept if _decides(one)]
    _laid(changed, original, tests, new=False)
    return [one for one in kept if one not in tests]


def _laid(source: Path, target: Path, paths: Iterable[str], *, new: bool) -> None:
    """Copy files, or remove those that the source lacks; with ``new`` only missing files."""
    for path in paths:
        ours, theirs = source / path, target / path
        if new and os.path.lexists(theirs):
            continue
        theirs.unlink(missing_ok=True)
        if os.path.lexists(ours):
            theirs.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ours, theirs, follow_symlinks=False)


def _level(folder: Path, text: str) -> tuple[int, list[str]]:
    """Number of leading folders to take from a patch's names, and the names without them."""
    found = []
    for level in (1, 0):
        done = _apply(folder, text, "--numstat", "-z", f"-p{level}")
        names = [one.split("\t", 2)[2] for one in _names(done)] if done.returncode == 0 else []
        here = sum((folder / one).exists() for one in names)
        near = sum((folder / one).parent.is_dir() for one in names)
        found.append(((here, near, level), names, done))
    (_, _, level), names, done = max(found, key=lambda one: one[0])
    if not names:
        raise InputError(f"no patch that git can read:\n{_error(done)}")
    return level, names


def _applied(folder: Path, text: str, level: int, wanted: Sequence[str], *options: str) -> str:
    """Apply the parts for the wanted files; git's message where they do not apply."""
    if not wanted:
        return ""
    only = ["--include=" + re.sub(r"([*?[\\])", r"\\\1", one) for one in wanted]
    done = _apply(folder, text, "--whitespace=nowarn", f"-p{level}", *only, *options)
    return _error(done) if done.returncode else ""


def _apply(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[bytes]:
    above = str(folder.resolve().parent)  # whose repository, if any, has no part in it
    words = ("-c", "core.autocrlf=false", "apply", *options, "-")
    return _git(folder, *words, given=to_bytes(text), variables={"GIT_CEILING_DIRECTORIES": above})


def _checkout(folder: Path, commit: str, target: Path) -> Path:
    """All files of a commit as git checks them out, in a new folder, by an index of its own."""
    target.mkdir()
    where = _text(_done(folder, "rev-parse", "--absolute-git-dir"))
    options = ("core.sparseCheckout=false", "core.fsmonitor=false", "submodule.recurse=false")
    settings = [word for one in options for word in ("-c", one)]
    place = [f"--git-dir={where}", f"--work-tree={target}"]
    index = str(target.parent / f"{target.name}.index")
    words = (*settings, *place, "read-tree", "--reset", "-u", commit)
    _done(target, *words, index=index)
    return target


def _commit(folder: Path, name: str) -> str:
    done = _git(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if done.returncode == 0:
        return _text(done)
    if _git(folder, "rev-parse", "--git-dir").returncode != 0:
        raise InputError(f"{folder} is in no git repository, so there is no {name}")
    shallow = _text(_git(folder, "rev-parse", "--is-shallow-repository")) == "true"
    hint = "; this clone has few: git fetch --unshallow" if shallow else ""
    raise InputError(f"git knows no commit {name} in {folder}{hint}")


def _base(folder: Path, a: str, b: str) -> str:
    done = _git(folder, "merge-base", a, b)
    if done.returncode != 0:
        raise InputError(f"git finds no common commit of {a} and {b} in {folder}")
    return _text(done)


def _done(folder: Path, *words: str, index: str = "") -> subprocess.CompletedProcess[bytes]:
    """Outcome of a command of git. Raises :class:`InputError` for its failure."""
    done = _git(folder, *words, variables={"GIT_INDEX_FILE": index} if index else {})
    if done.returncode != 0:
        raise InputError(f"git failed in {folder}: {_error(done)}")
    return done


def _git(
    folder: Path, *words: str, given: bytes = b"", variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [find_tool("git"), *words],
        cwd=folder,
        env={key: value for key, value in os.environ.items() if key not in _OF_HOOKS}
        | dict(variables or {}),
        input=given,
        capture_output=True,
        check=False,
    )


def _names(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    return [os.fsdecode(one) for one in done.stdout.split(b"\0") if one]


def _text(done: subprocess.CompletedProcess[bytes]) -> str:
    return os.fsdecode(done.stdout).strip()


def _error(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stderr.decode("utf-8", "replace").strip()
