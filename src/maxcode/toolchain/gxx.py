"""Gxx: building C++ and C programs with g++ and gcc."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

from maxcode.errors import ToolError
from maxcode.program import Program
from maxcode.sandbox.base import Completed, Sandbox
from maxcode.tasks.languages import CPP, Language
from maxcode.toolchain.base import Asked, Toolchain
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler, Compiling
from maxcode.toolchain.headers import Headers
from maxcode.toolchain.layouts import Layouts, relocatable_flags

SANITIZE = (
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    *("-O1", "-g", "-fno-omit-frame-pointer"),  # lines and functions as they were written
    *("-fno-pie", "-no-pie"),  # where the kernel puts others may overlap with the shadow memory
    "-D_GLIBCXX_SANITIZE_VECTOR",  # a vector's capacity past its size is out of bounds, too
)
"""Flags for g++, added to a task's own."""

_AGAINST = re.compile(r"-static.*|-s|-flto.*|-fwhole-program|-Werror.*|-fsanitize.*|-pie")
_MEMORY = 4 << 30  # bytes that it may hold
_STACK = 512 << 10  # KiB: instrumented frames are several times larger, and may be as deep
_ADDRESS_OPTIONS = "detect_leaks=0:handle_abort=1:handle_sigill=1"
_SHELL = 'ulimit -s "$1" 2>/dev/null; shift; exec /usr/bin/env "$@"'

_FOUND = re.compile(
    r"^(?:(?P<place>\S+:\d+):\d+: runtime error|==\d+==\s*ERROR: AddressSanitizer): (?P<what>.+)",
    re.MULTILINE,
)
_ADDRESS = re.compile(
    r"(?: on (?:unknown )?address| on 0x|: 0x|: memory ranges| \((?:pc|thread)).*"
)
_FRAME = re.compile(r"^\s*#\d+ 0x\w+ in (.+) ([^\s:]+:\d+)(?::\d+)?$", re.MULTILINE)
_EVASION = re.compile(
    r"\w*(?:no_sanitize|no_address_safety|no_asan|__asan|__ubsan|__sanitizer)\w*"
    r"|__SANITIZE_\w+|__has_feature"
)


def sanitized_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """A task's flags without those incompatible with sanitizers, plus :data:`SANITIZE`."""
    return (*(flag for flag in flags if not _AGAINST.fullmatch(flag)), *SANITIZE)


def sanitized_command(executable: Path) -> list[str]:
    """The command to run a program built with :func:`sanitized_flags`.

    AddressSanitizer reserves terabytes of address space, so the sandbox must not limit it:
    ``Limits(address_space=False)``.
    """
    return [
        *("/bin/sh", "-c", _SHELL, "sh", str(_STACK)),
        f"ASAN_OPTIONS={_ADDRESS_OPTIONS}:hard_rss_limit_mb={_MEMORY >> 20}",
        "UBSAN_OPTIONS=print_stacktrace=1",
        str(executable),
    ]


def sanitizer_cause(output: bytes) -> str:
    """A sanitizer's error and its place in the program's own source, in a line; "" if none.

    A program that ended otherwise, or exceeded its memory, gives "": sanitizers need several times
    as much.
    """
    stderr = output.decode("utf-8", "replace")
    found = _FOUND.search(stderr)
    if found is None:
        return ""
    report = stderr[found.start() :].partition("\n\n")[0]  # up to and with the first stack
    cause = _ADDRESS.sub("", found["what"])
    places = [("", found["place"] or ""), *_FRAME.findall(report)]
    own = [(function, place) for function, place in places if _is_own(place)]
    if not own:
        return cause
    function = next((f" in {function}" for function, _ in own if function), "")
    return f"{cause} at {own[0][1].removeprefix('./')}{function}"


def _is_own(place: str) -> bool:
    """Whether a place is the program's: libraries lie elsewhere, or are C with relative paths."""
    return bool(place) and not re.match(r"/|\.\./|.*\.[cS]:", place)


# What g++ says when a compiled header does not fit into its memory, or is too much for it.
_HEADER_FAILED = re.compile(rb"\bPCH\b|internal compiler error")


class Gxx(Toolchain):
    """g++, or gcc for programs in C.

    Raises :class:`~maxcode.errors.ToolError` if there is none.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        folder: Path,
        cache: BuildCache | None = None,
        language: Language = CPP,
    ) -> None:
        super().__init__(sandbox, folder, cache, language)
        self._compiler = Compiler(sandbox, "g++" if language is CPP else "gcc")
        self._headers = Headers(self._compiler, folder / "headers")

    @property
    def release(self) -> str:
        """The compiler's name and version."""
        return self._compiler.release

    def layouts(
        self, program: Program, flags: Sequence[str], folder: Path, rng: Random, how: Compiling
    ) -> Layouts:
        """Executables of a program in ``folder`` that differ only in layout, drawn by ``rng``.

        It is compiled once. Raises :class:`~maxcode.errors.ToolError` if it cannot be relinked.
        """
        built = self.build(program, relocatable_flags(flags), how.timeout, how.processors)
        if built.executable is None:
            raise ToolError(f"it does not build as one object: {built.errors.splitlines()[0]}")
        return Layouts(self._compiler, built.executable, flags, folder, rng, how)

    def _made(self, asked: Asked) -> Completed:
        sources = [asked.program.files[path] for path in self._sources(asked.program)]
        usable = self._language is CPP and len(sources) == 1
        header = self._headers.find(sources[0], asked.flags, asked.how) if usable else None
        completed = self._run(asked, header)
        if header and not completed.ok and _HEADER_FAILED.search(completed.stderr):
            return self._run(asked)
        return completed

    def _identity(self, flags: Sequence[str]) -> str:
        return self._compiler.identity(flags)

    def _refusal(self, asked: Asked) -> str:
        """Reason a sanitized build would not be the judged program; "" if none."""
        if asked.flags[-len(SANITIZE) :] != SANITIZE:
            return ""
        found = _EVASION.search("\n".join(asked.program.files.values()))
        return f"it keeps sanitizers from its code by {found[0]}" if found else ""

    def _run(self, asked: Asked, header: Path | None = None) -> Completed:
        # "./" so that no file name reads as an option; sources first, so that -l flags find them
        sources = [f"./{path}" for path in self._sources(asked.program)]
        arguments = ["-pipe", *(["-include", str(header)] if header else []), *sources]
        read = [header.parent] if header else []
        return self._compiler.run([*arguments, *asked.flags], asked.source, asked.how, read)
