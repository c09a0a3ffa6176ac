"""Toolchains: the toolchain of each language, made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from maxcode.sandbox.base import Sandbox
from maxcode.tasks.languages import CPP, Language, language_named
from maxcode.toolchain.base import Toolchain
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.gxx import Gxx
from maxcode.toolchain.languages.commands import Commands
from maxcode.toolchain.languages.go import Go
from maxcode.toolchain.languages.java import Java
from maxcode.toolchain.languages.javascript import Node
from maxcode.toolchain.languages.python import Python
from maxcode.toolchain.languages.rust import Rust

Make = Callable[[Sandbox, Path, BuildCache | None, Language], Toolchain]

_MADE: dict[str, Make] = {
    "c++": Gxx,
    "c": Gxx,
    "python": Python,
    "javascript": Node,
    "typescript": Node,
    "rust": Rust,
    "go": Go,
    "command": Commands,
    "java": Java,
}


class Toolchains:
    """Toolchains by language, which build in ``folder``. Safe to use from several threads."""

    def __init__(self, sandbox: Sandbox, folder: Path, cache: BuildCache | None = None) -> None:
        self._sandbox = sandbox
        self._folder = folder
        self._cache = cache
        self._known: dict[str, Toolchain] = {}
        self._lock = Lock()

    def of(self, language: str = CPP.name) -> Toolchain:
        """The toolchain of a language.

        Raises :class:`~maxcode.errors.ToolError` if it is not installed, and
        :class:`~maxcode.errors.TaskError` for an unknown language.
        """
        with self._lock:
            if language not in self._known:
                known = language_named(language)
                folder = self._folder / language
                self._known[language] = _MADE[language](self._sandbox, folder, self._cache, known)
            return self._known[language]
