"""Headers: the includes that programs begin with, compiled once for all that begin alike.

A program begins with a *block*: includes of system headers, and pragmas with options for g++. A
header of just these lines is compiled ahead and put before the program with ``-include``; the
program's own block then finds all of it included already, and everything else, line numbers too,
stays as it was. g++ 12 makes the same code of it, byte for byte, as without.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from maxcode.program import Program
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler

SOURCES = (".cpp", ".cc", ".cxx")

Block = tuple[str, ...]

_SECONDS = 60.0  # that a header may always take: it is not the program's fault
_MOST = 6  # for each compiler: they are 20 to 100 MB each
_ENTIRE = "bits/stdc++.h"  # the whole standard library
_STRING = r'"[\w=,.+ -]*"'
_DIRECTIVE = re.compile(
    r"#[ \t]*include[ \t]*<\w[\w.+-]*(/\w[\w.+-]*)*>"
    rf"|#[ \t]*pragma[ \t]+GCC[ \t]+(optimize|target)[ \t]*\({_STRING}([ \t]*,[ \t]*{_STRING})*\)",
    re.ASCII,
)
_STRING_OR_COMMENT = re.compile(r'("[^"]*")|/\*.*?\*/|//.*')
# Flags that change neither where headers are looked for nor what comes before the program.
_PLAIN = re.compile(
    r"-(O\w*|std=[\w+]+|g\w*|[mf][\w=.,+-]+|W(?!p,)[\w=,.+-]*|[DU]\w.*|l.+|pthread|pipe|static|s|w"
    r"|ansi|pedantic|pedantic-errors)",
    re.DOTALL | re.ASCII,
)
_FOR_LINKER = re.compile(r"-l.*|-Wl,.*|-static|-s")
_AGAIN = "#pragma maxcode again"
# Names that start with __need_ are words between the C library's headers and g++'s.
_MACRO = re.compile(r"#(define|undef) (?!__need_)(\w+)(.*)")
_BETWEEN = re.compile(r"\s*(#(define|undef) __need_\w+ *)?")


def leading_block(text: str) -> Block:
    """The includes and options before anything else in a file, without comments.

    Whatever is not plainly one of these ends the block. Every beginning of a block is a block too.
    """
    found: list[str] = []
    commented = False
    for line in text.split("\n"):
        if line.rstrip().endswith(("\\", "??/")):  # goes on in the next line
            break
        code = line
        if commented:
            _, ended, code = line.partition("*/")
            commented = not ended
        code = _STRING_OR_COMMENT.sub(lambda match: match[1] or " ", code).strip(" \t\r")
        before, opened, _ = code.partition("/*")
        if before and (opened or not _DIRECTIVE.fullmatch(before)):
            break
        commented = commented or bool(opened)
        if before:
            found.append(before)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Compiling:
    """How long g++ may take for a program, in seconds, and on which processors."""

    timeout: float
    processors: tuple[int, ...] = ()


class Headers:
    """Compiles headers and keeps them in ``folder``. Safe to use from several threads.

    A block is worth a header on its second use; on its first if :meth:`expect` was told of it, if
    ``cache`` holds it, or if it takes in the whole standard library and ``cache`` will keep it.
    """

    def __init__(self, compiler: Compiler, folder: Path, cache: BuildCache | None) -> None:
        self._compiler = compiler
        self._folder = folder
        self._cache = cache
        self._uses = Counter[str]()
        self._made: dict[str, Path | None] = {}
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    def expect(self, program: Program, flags: Sequence[str]) -> None:
        """Note that more programs which begin like this one will be built."""
        if block := _block(program, flags):
            with self._lock:
                self._uses[_key(block, flags)] += 1

    def find(self, program: Program, flags: Sequence[str], how: Compiling) -> Path | None:
        """The header to put before a program, if there is one; may compile it first."""
        block = _block(program, flags)
        if block:
            self._prepare(block, flags, how)
        for length in range(len(block), 0, -1):
            if header := self._made.get(_key(block[:length], flags)):
                return header
        return None

    def _prepare(self, block: Block, flags: Sequence[str], how: Compiling) -> None:
        key = _key(block, flags)
        with self._lock:
            self._uses[key] += 1
            kept = self._cache is not None and any(_ENTIRE in line for line in block)
            wanted = kept or self._uses[key] > 1
            lock = self._locks.setdefault(key, Lock())
        with lock:
            with self._lock:
                full = sum(header is not None for header in self._made.values()) >= _MOST
            if full or key in self._made:
                return
            folder = self._folder / key
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)
            made = self._make(block, flags, folder / "block.h", how, wanted=wanted)
            if made or wanted:  # what failed is not tried again
                with self._lock:
                    self._made[key] = folder / "block.h" if made else None

    def _make(
        self, block: Block, flags: Sequence[str], header: Path, how: Compiling, *, wanted: bool
    ) -> bool:
        """Whether the compiled header is there; it is compiled only if ``wanted``."""
        compiled = Path(f"{header}.gch")
        flags = [flag for flag in flags if not _FOR_LINKER.fullmatch(flag)]
        name = ""
        if self._cache:
            name = f"{_key((self._compiler.identity(flags), *block), flags)}.gch"
        if not (self._cache and self._cache.fetch(name, compiled)):
            if not (wanted and self._repeatable(block, flags, header, how)):
                return False
            content = self._compile(block, flags, header, how)
            if content is None:
                return False
            compiled.write_bytes(content)
            if self._cache:
                self._cache.keep(name, content)
        _write(header, block)
        compiled.chmod(0o644)
        return True

    def _compile(
        self, lines: Iterable[str], flags: Sequence[str], header: Path, how: Compiling
    ) -> bytes | None:
        _write(header, lines)
        completed = self._compiler.run(
            ["-x", "c++-header", "./block.h", *flags],
            header.parent,
            timeout=max(how.timeout, _SECONDS),
            processors=how.processors,
        )
        return completed.stdout if completed.ok and not completed.flooded else None

    def _repeatable(self, block: Block, flags: Sequence[str], header: Path, how: Compiling) -> bool:
        """Whether the block, met a second time, adds nothing and changes no macro."""
        lines = (*block, _AGAIN, *block)
        text = self._compile(lines, [*flags, "-E", "-P", "-dD"], header, how)
        if text is None:
            return False
        first, _, second = text.decode("utf-8", "replace").partition(_AGAIN)
        macros = dict[str, str]()
        _preprocess(first, macros)
        before = macros.copy()
        added = _preprocess(second, macros)
        return macros == before and all(line in block for line in added)


def _preprocess(text: str, macros: dict[str, str]) -> list[str]:
    """Enter into ``macros`` what a preprocessed text says of them; its other lines."""
    others: list[str] = []
    for line in text.splitlines():
        if macro := _MACRO.fullmatch(line):
            kind, name, meaning = macro.groups()
            macros.pop(name, None)
            if kind == "define":
                macros[name] = meaning
        elif not _BETWEEN.fullmatch(line):
            others.append(line.strip())
    return others


def _block(program: Program, flags: Sequence[str]) -> Block:
    """What is worth compiling ahead: nothing for several sources, whose blocks may differ."""
    sources = [text for path, text in program.files.items() if path.endswith(SOURCES)]
    if len(sources) != 1 or not all(_PLAIN.fullmatch(flag) for flag in flags):
        return ()
    block = leading_block(sources[0])
    return block if any("include" in line for line in block) else ()


def _key(block: Block, flags: Sequence[str]) -> str:
    return hashlib.sha256("\0".join((*block, "", *flags)).encode()).hexdigest()[:24]


def _write(header: Path, lines: Iterable[str]) -> None:
    header.write_text("".join(f"{line}\n" for line in lines))
    header.chmod(0o644)  # g++ may run as another user
