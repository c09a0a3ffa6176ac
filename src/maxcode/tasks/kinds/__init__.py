"""Kinds of projects: tools for build, tests and benchmarks, by the project's files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from maxcode.tasks.kinds.base import SOURCES, Files, Kind
from maxcode.tasks.kinds.cargo import cargo_kinds
from maxcode.tasks.kinds.go import go_kinds
from maxcode.tasks.kinds.native import cmake_kinds, make_kinds, meson_kinds
from maxcode.tasks.kinds.node import node_kinds
from maxcode.tasks.kinds.python import python_kinds

_KINDS: Mapping[str, Callable[[Files], Iterator[Kind]]] = {
    "CMakeLists.txt": cmake_kinds,
    "meson.build": meson_kinds,
    "pyproject.toml": python_kinds,
    "setup.py": python_kinds,
    "asv.conf.json": python_kinds,
    "Cargo.toml": cargo_kinds,
    "go.mod": go_kinds,
    "go.work": go_kinds,
    "package.json": node_kinds,
    "Makefile": make_kinds,
    "makefile": make_kinds,
    "GNUmakefile": make_kinds,
}
"""By the file typical of a kind; Make comes last, as all kinds of projects have shortcuts there."""


def kinds_of(folder: Path, include: Sequence[str] = ()) -> tuple[Kind, ...]:
    """Probable kinds of a project, the most probable first; at least one.

    Each kind with its file present is one. Without any such file, packages of Python make it a
    Python project. ``include`` is that of a project's ``task.toml``. Raises
    :class:`~maxcode.errors.TaskError` for a folder without files.
    """
    files = Files.of(folder, include)
    found = list(dict.fromkeys(_KINDS[name] for name in _KINDS if name in files.paths))
    if not found and files.named("/__init__.py"):
        found = [python_kinds]
    kinds = tuple(kind for each in found for kind in each(files))
    return kinds or (Kind(editable=files.patterns(*SOURCES)),)
