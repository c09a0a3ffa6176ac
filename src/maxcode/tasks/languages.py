"""Languages of programs: names, suffixes and defaults; toolchains are in another layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType

from maxcode.errors import TaskError
from maxcode.text import did_you_mean


@dataclass(frozen=True, slots=True)
class Language:
    """A programming language.

    ``name`` is that of :attr:`~maxcode.task.Task.language`, ``title`` its spelling for people.
    ``programs`` are suffixes of files that may hold the entry, ``headers`` of files that go with
    them; ``names`` is a pattern of names of files that a source takes in. ``flags`` are the default
    flags: of the compiler, or of the runtime where ``compiled`` is False. ``entry`` is the usual
    name of the entry file, ``empty`` a program that does nothing. ``instrumented``: layouts can be
    drawn, and sanitizers are available. ``callgrind`` can profile its programs, built with ``-g``.

    Programs in "command" are in any other language; their flags are a command to build and one to
    run them.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    entry: str
    empty: str
    flags: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    compiled: bool = False
    instrumented: bool = False
    callgrind: bool = False
    names: str = ""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Suffixes of all its files."""
        return (*self.programs, *self.headers)


_INCLUDE = r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"'
_REQUIRE = r"""(?:require\(|from|import)[ \t(]*["'](\.[^"'\n]+)["']"""

CPP = Language(
    "c++",
    "C++",
    (".cpp", ".cc", ".cxx"),
    "main.cpp",
    "int main() {}\n",
    ("-O3", "-std=c++17"),
    (".h", ".hh", ".hpp", ".hxx"),
    compiled=True,
    instrumented=True,
    callgrind=True,
    names=_INCLUDE,
)
_ALL = (
    CPP,
    Language(
        "c",
        "C",
        (".c",),
        "main.c",
        "int main(void) { return 0; }\n",
        ("-O3", "-std=gnu17", "-lm"),
        (".h",),
        compiled=True,
        instrumented=True,
        callgrind=True,
        names=_INCLUDE,
    ),
    Language(
        "python",
        "Python",
        (".py",),
        "main.py",
        "",
        names=r"^[ \t]*(?:from|import)[ \t]+([\w.]+(?:[ \t]*,[ \t]*[\w.]+)*)",
    ),
    Language("javascript", "JavaScript", (".js", ".mjs", ".cjs"), "main.js", "", names=_REQUIRE),
    Language("typescript", "TypeScript", (".ts", ".mts"), "main.ts", "", names=_REQUIRE),
    Language(
        "rust",
        "Rust",
        (".rs",),
        "main.rs",
        "fn main() {}\n",
        ("-C", "opt-level=3", "--edition", "2021"),
        compiled=True,
        callgrind=True,
        names=r"^[ \t]*(?:pub[ \t]+)?mod[ \t]+(\w+)[ \t]*;",
    ),
    Language("go", "Go", (".go",), "main.go", "package main\n\nfunc main() {}\n", compiled=True),
    Language(
        "java",
        "Java",
        (".java",),
        "Main.java",
        "public class Main { public static void main(String[] words) {} }\n",
        ("-Xmx768m", "-Xss64m"),
    ),
    Language("command", "its language", (), "main", "", compiled=True),
)

LANGUAGES: Mapping[str, Language] = MappingProxyType({one.name: one for one in _ALL})
"""Languages by name."""

_BY_SUFFIX = {suffix: one for one in _ALL for suffix in one.programs}


def language_of(path: str) -> Language | None:
    """The language of an entry file, by its suffix; None for an unknown suffix."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix)


def language_named(name: str) -> Language:
    """The language of a name. Raises :class:`~maxcode.errors.TaskError` for an unknown name."""
    if name not in LANGUAGES:
        close = did_you_mean(name, LANGUAGES)
        raise TaskError(f"unknown language {name!r}{close}; known: {', '.join(LANGUAGES)}")
    return LANGUAGES[name]


def program_suffixes() -> tuple[str, ...]:
    """Suffixes of all entry files."""
    return tuple(_BY_SUFFIX)
