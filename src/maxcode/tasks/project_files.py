"""The files of a project: which there are, and which of them a candidate may change."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePosixPath

from maxcode.errors import TaskError
from maxcode.program import digest_of
from maxcode.sources import from_bytes

OWN_FILES = ("task.toml", "maxcode.toml", "*.maxcode.patch")
"""Files of ours in a project's folder, which are no part of the project."""

_LEFT_OUT = {".git", ".hg", ".svn", "__pycache__", ".venv", ".tox", ".mypy_cache", ".pytest_cache"}
_MARKS = ("CMakeCache.txt", "CACHEDIR.TAG", "pyvenv.cfg")  # of folders that tools made
_PROTECTED = (
    *("conftest.py", "pytest.ini", "tox.ini", "setup.cfg", "setup.py", "pyproject.toml"),
    *("sitecustomize.py", "usercustomize.py", "*.pth", "noxfile.py", "requirements*.txt"),
    *("CMakeLists.txt", "CMakePresets.json", "*.cmake", "[Mm]akefile", "GNUmakefile", "*.mk"),
    *("meson.build", "meson_options.txt", "meson.options", "configure", "configure.*"),
    *("Cargo.toml", "Cargo.lock", "build.rs", "rust-toolchain*", "go.mod", "go.sum", "go.work"),
    *("package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "pom.xml"),
    *("build.gradle*", "*.bazel", "BUILD", "WORKSPACE", "asv.conf.json"),
    *("*.spec.*", "*.snap", "*.config.*", ".*rc", ".*rc.*"),
)
_PROTECTED_STEM = re.compile(  # test_table.c, table-bench.cpp, TableTest.java; not latest.c
    r"(?:tests?\d*|bench(?:marks?)?\d*)(?:[_.-].*)?"
    r"|.*[_.-](?:tests?|bench(?:marks?)?)"
    r"|.*[A-Za-z0-9](?:Tests?|Bench(?:marks?)?)"
)
_TEST = re.compile(r"(?<![a-z])(test|spec|bench)|\.snap$", re.IGNORECASE)
_MAKEFILES = ("[Mm]akefile", "GNUmakefile", "*.mk")
_INCLUDES = re.compile(r"^ *[-s]?include[ \t]+([^#\n]+)", re.MULTILINE)
PROTECTED_FOLDERS = frozenset(
    {
        *("test", "tests", "testing", "testdata", "bench", "benches", "benchmark", "benchmarks"),
        *("__tests__", "__mocks__", "__fixtures__", "__snapshots__", "tap-snapshots"),
    }
)
"""Folders of tests and benchmarks, in lower case, which no pattern with wildcards opens."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns of editable files, as in ``src/**``; the last match decides.

    ``*`` stands for a name or a part of it, ``**`` for any folders, ``!`` before a pattern takes
    back. Tests, benchmarks and build files are excepted, unless a pattern without wildcards names
    them. So are matches of ``exclude``. Matches of ``include`` are part of the project though git
    ignores them, or another repository holds them.
    """

    editable: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = field(default=(), repr=False)

    def match(self, path: str) -> bool:
        """Whether the file, by its path from the project's folder, may be changed or added."""
        if path in self.editable:
            return True
        if is_protected(path) or matches(self.exclude, path) or _is_own(path):
            return False
        return matches(self.editable, path)


def is_protected(path: str) -> bool:
    """Whether a file belongs to a project's tests, benchmarks or build, by its path."""
    pure = PurePosixPath(path)
    folders = {part.lower() for part in pure.parts[:-1]}
    return (
        bool(folders & PROTECTED_FOLDERS)
        or any(fnmatchcase(pure.name, name) for name in _PROTECTED)
        or _PROTECTED_STEM.fullmatch(pure.stem) is not None
    )


def is_test(path: str) -> bool:
    """Whether a file is a test or benchmark, by the names in its path."""
    pure = PurePosixPath(path)
    folders = {part.lower() for part in pure.parts[:-1]}
    return bool(folders & PROTECTED_FOLDERS) or _TEST.search(pure.name) is not None


def matches(patterns: Sequence[str], path: str) -> bool:
    """Whether the last pattern to match the path has no ``!``."""
    found = False
    for pattern in patterns:
        if re.fullmatch(_expression(pattern.removeprefix("!")), path):
            found = not pattern.startswith("!")
    return found


def _expression(pattern: str) -> str:
    if pattern.endswith("/"):
        pattern += "**"
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(wild.get(piece, re.escape(piece)) for piece in pieces)


def _is_own(path: str) -> bool:
    return any(fnmatchcase(path, name) for name in OWN_FILES)


@dataclass(frozen=True)
class Snapshot:
    """The files of a project: those git would add in a repository, else all.

    Without folders made by tools. ``paths`` are sorted, from ``folder``; ``left_out`` are files and
    folders ignored by git, and folders of other repositories, such as submodules.
    """

    folder: Path
    paths: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, folder: Path, exclude: Sequence[str] = (), include: Sequence[str] = ()) -> Snapshot:
        """The files of a folder, and others by ``include``. Raises :class:`TaskError` for none."""
        left: list[str] = []
        found = _by_git(folder, include, left) if _in_git(folder) else _by_walking(folder)
        paths = tuple(
            sorted(path for path in found if not (_is_own(path) or matches(exclude, path)))
        )
        if not paths:
            raise TaskError(f"{folder} holds no files of a project")
        return cls(folder, paths, tuple(left))

    @cached_property
    def digest(self) -> str:
        """Of all paths, whether they can be executed, and contents."""
        return digest_of(self._content())

    def _content(self) -> Iterator[bytes]:
        for path in self.paths:
            file = self.folder / path
            mode = file.lstat().st_mode
            link = stat.S_ISLNK(mode)
            data = os.readlink(file).encode() if link else file.read_bytes()
            kind = "link" if link else "program" if mode & 0o100 else "file"
            yield from (path.encode(), kind.encode(), data)

    @property
    def sizes(self) -> tuple[tuple[str, int], ...]:
        """All paths with the sizes of their files in bytes."""
        return tuple((path, (self.folder / path).lstat().st_size) for path in self.paths)

    def texts(self, patterns: Patterns) -> dict[str, str]:
        """The editable text files, by path; other matches are left as they are."""
        texts = {}
        for path in self.paths:
            file = self.folder / path
            if patterns.match(path) and not file.is_symlink():
                try:
                    texts[path] = from_bytes(file.read_bytes())
                except UnicodeDecodeError:
                    continue
        return texts

    def included(self) -> frozenset[str]:
        """Files, there or not, included by makefiles by name: they are part of the build."""
        found = set()
        for path in self.paths:
            pure, file = PurePosixPath(path), self.folder / path
            if not any(fnmatchcase(pure.name, name) for name in _MAKEFILES) or file.is_symlink():
                continue
            text = file.read_bytes().decode("utf-8", "replace")
            for names in _INCLUDES.findall(text):
                for name in names.split():
                    found |= {os.path.normpath(place / name) for place in (pure.parent, Path())}
        return frozenset(found)

    def copy(self, target: Path) -> None:
        """Copy all of them below a new folder, readable by everyone."""
        for path in self.paths:
            file, copy = self.folder / path, target / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy, follow_symlinks=False)
            if not copy.is_symlink():
                copy.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)


def _in_git(folder: Path) -> bool:
    inside = any(
        (above / ".git").exists() for above in (folder.resolve(), *folder.resolve().parents)
    )
    return inside and shutil.which("git") is not None


def _by_git(folder: Path, include: Sequence[str], left: list[str]) -> Iterator[str]:
    """Files that git would add, and those that ``include`` brings; ``left`` gets the others."""
    known = _git_names(folder, "--cached", "--others", "--exclude-standard")
    if known is None:
        yield from _by_walking(folder)
        return
    for name in known:
        path = folder / name
        if path.is_dir() and not path.is_symlink():  # another repository
            there = _by_git(path, (), []) if (path / ".git").exists() else ()
            below = [f"{name.rstrip('/')}/{one}" for one in there]
            wanted = [one for one in below if matches(include, one)]
            left += [] if wanted else [f"{name.rstrip('/')}/"]
            yield from wanted
        elif os.path.lexists(path):
            yield name
    hidden = ("--others", "--ignored", "--exclude-standard")
    ignored = _git_names(folder, *hidden) if include else []
    brought = [one for one in ignored or () if matches(include, one)]
    for name in _git_names(folder, *hidden, "--directory") or ():
        if not any(one.startswith(name) for one in brought):
            left.append(name)
    yield from brought


def _git_names(folder: Path, *options: str) -> list[str] | None:
    """Paths by ``git ls-files``; None where it fails."""
    command = ["git", "ls-files", "-z", *options, "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        return None
    names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return list(dict.fromkeys(filter(None, names)))


def _by_walking(folder: Path) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        here = Path(place)
        if here != folder and any(mark in names for mark in _MARKS):
            folders.clear()
            continue
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        for name in (*names, *(one for one in folders if (here / one).is_symlink())):
            file = here / name
            if file.is_symlink() or file.is_file():
                yield file.relative_to(folder).as_posix()
