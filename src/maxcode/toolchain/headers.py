"""Headers: leading includes of programs, precompiled for all with the same beginning.

A program begins with a *block*: includes of system headers, and pragmas with options for g++. A
header of these lines is compiled ahead and put before the program with ``-include``. The program's
own block then finds all of it included already; its options are left out, since g++ treats options
given twice as different. Everything else stays as it was, line numbers too. Each header is proven
on the first program it serves: the executable must be identical, byte for byte.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from threading import Lock

from maxcode.program import Program
from maxcode.toolchain.base import Compiling
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler

SOURCES = (".cpp", ".cc", ".cxx")

Block = tuple[str, ...]

_SECONDS = 60.0  # that a header may always take: it is not the program's fault
_MAX_KEPT = 6  # for each compiler: they are 20 to 100 MB each
_WORTH = 3  # uses: by then its absence has cost about what it costs to compile
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
    """Includes and options before anything else in a file, without comments.

    Any other line ends the block. Every prefix of a block is a block too.
    """
    return tuple(directive for _, directive in _directives(text))


def without_options(text: str, count: int) -> str:
    """The text with empty lines in place of pragmas in the first ``count`` lines of its block."""
    lines = text.split("\n")
    for number, directive in islice(_directives(text), count):
        if "pragma" in directive:
            lines[number] = ""
    return "\n".join(lines)


def _directives(text: str) -> Iterator[tuple[int, str]]:
    """Lines of the leading block, with their places in the text, the first at 0."""
    commented = False
    for number, line in enumerate(text.split("\n")):
        if line.rstrip().endswith(("\\", "??/")):  # goes on in the next line
            return
        code, inside = line, commented
        if commented:
            _, ended, code = line.partition("*/")
            commented = not ended
        code = _STRING_OR_COMMENT.sub(lambda match: match[1] or " ", code).strip(" \t\r")
        before, opened, _ = code.partition("/*")
        ends = inside and "pragma" in before  # the line could not be left out as a whole
        if before and (opened or ends or not _DIRECTIVE.fullmatch(before)):
            return
        commented = commented or bool(opened)
        if before:
            yield number, before


@dataclass(frozen=True, slots=True)
class Header:
    """A compiled header: its path, its block, and whether it is proven to change nothing."""

    path: Path
    block: Block
    proven: bool


class Headers:
    """Compiles headers and keeps them in ``folder``. Safe to use from several threads.

    Blocks differ mostly in their last lines, so their prefixes are counted. The longest prefix used
    three times is worth a header, at once if it was passed to :meth:`expect`; if a shorter prefix
    has a header already, only a whole block is. ``cache`` keeps proven headers.
    """

    def __init__(self, compiler: Compiler, folder: Path, cache: BuildCache | None) -> None:
        self._compiler = compiler
        self._folder = folder
        self._cache = cache
        self._uses = Counter[str]()
        self._made: dict[str, Header | None] = {}  # None: it cannot be, or may not
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    def expect(self, program: Program, flags: Sequence[str]) -> None:
        """Announce more builds of programs with the same beginning."""
        for whole in islice(_beginnings(_block(program, flags)), 1):
            with self._lock:
                self._uses[_key(whole, flags)] += _WORTH

    def find(self, program: Program, flags: Sequence[str], how: Compiling) -> Header | None:
        """The header to put before a program, if any; may compile it first."""
        blocks = list(_beginnings(_block(program, flags)))
        keys = {_key(block, flags): block for block in blocks}
        with self._lock:
            self._uses.update(keys.keys())
            worth = [key for key in keys if self._uses[key] >= _WORTH]
        found = next(filter(None, (self._kept(key, keys[key], flags) for key in keys)), None)
        for key in worth:
            if self._made.get(key, key) is None:
                continue
            if found is None or (keys[key] == blocks[0] and found.block != keys[key]):
                found = self._make(key, keys[key], flags, how) or found
            break
        return found

    def judge(self, header: Header, flags: Sequence[str], *, same: bool) -> None:
        """Record whether a program was the same with a header as without."""
        key = _key(header.block, flags)
        with self._held(key):
            with self._lock:
                self._made[key] = replace(header, proven=True) if same else None
            if same and self._cache:
                content = Path(f"{header.path}.gch").read_bytes()
                self._cache.keep(self._name(header.block, flags), content)

    def _kept(self, key: str, block: Block, flags: Sequence[str]) -> Header | None:
        """A header made here, or from the cache."""
        if key in self._made or self._cache is None:
            return self._made.get(key)
        with self._held(key):
            if key in self._made or self._full():
                return self._made.get(key)
            header = self._place(key)
            if not self._cache.fetch(self._name(block, flags), Path(f"{header}.gch")):
                return None
            return self._have(key, block, proven=True)

    def _make(self, key: str, block: Block, flags: Sequence[str], how: Compiling) -> Header | None:
        """Compile a header; failures are not tried again."""
        flags = [flag for flag in flags if not _FOR_LINKER.fullmatch(flag)]
        with self._held(key):
            if key in self._made or self._full():
                return self._made.get(key)
            header = self._place(key)
            content = None
            if self._repeatable(block, flags, header, how):
                content = self._compile(block, flags, header, how)
            if content is None:
                with self._lock:
                    self._made[key] = None
                return None
            Path(f"{header}.gch").write_bytes(content)
            return self._have(key, block, proven=False)

    @contextmanager
    def _held(self, key: str) -> Iterator[None]:
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            yield

    def _full(self) -> bool:
        with self._lock:
            return sum(header is not None for header in self._made.values()) >= _MAX_KEPT

    def _place(self, key: str) -> Path:
        folder = self._folder / key
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        return folder / "block.h"

    def _have(self, key: str, block: Block, *, proven: bool) -> Header:
        path = self._place(key)
        _write(path, block)
        Path(f"{path}.gch").chmod(0o644)
        with self._lock:
            self._made[key] = Header(path, block, proven)
        return Header(path, block, proven)

    def _name(self, block: Block, flags: Sequence[str]) -> str:
        """Name of a header in the cache."""
        flags = [flag for flag in flags if not _FOR_LINKER.fullmatch(flag)]
        return f"{_key((self._compiler.identity(flags), *block), flags)}.proven.gch"

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
        """Whether the block, included again, adds nothing and changes no macro."""
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
    """Record macros of a preprocessed text in ``macros``; returns its other lines."""
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
    """The block to precompile; empty for several sources, whose blocks may differ."""
    sources = [text for path, text in program.files.items() if path.endswith(SOURCES)]
    if len(sources) != 1 or not all(_PLAIN.fullmatch(flag) for flag in flags):
        return ()
    block = leading_block(sources[0])
    return block if any("include" in line for line in block) else ()


def _beginnings(block: Block) -> Iterator[Block]:
    """Prefixes of a block that end with an include, the longest first."""
    for length in range(len(block), 0, -1):
        if "include" in block[length - 1]:
            yield block[:length]


def _key(block: Block, flags: Sequence[str]) -> str:
    return hashlib.sha256("\0".join((*block, "", *flags)).encode()).hexdigest()[:24]


def _write(header: Path, lines: Iterable[str]) -> None:
    header.write_text("".join(f"{line}\n" for line in lines))
    header.chmod(0o644)  # g++ may run as another user
