"""Sanitizers: building and running a program so that it stops where it does what is undefined."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

SANITIZE = (
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    *("-O1", "-g", "-fno-omit-frame-pointer"),  # lines and functions as they were written
    *("-fno-pie", "-no-pie"),  # where the kernel puts others may overlap with the shadow memory
    "-D_GLIBCXX_SANITIZE_VECTOR",  # a vector's capacity past its size is out of bounds, too
)
"""What g++ is told on top of a task's own flags."""

_AGAINST = re.compile(r"-static.*|-s|-flto.*|-fwhole-program|-Werror.*|-fsanitize.*|-pie")
_MEMORY = 4 << 30
_STACK = 512 << 10  # KiB: instrumented frames are several times larger, and may be as deep
_ADDRESS_OPTIONS = "detect_leaks=0:handle_abort=1:handle_sigill=1"
_SHELL = 'ulimit -s "$1" 2>/dev/null; shift; exec /usr/bin/env "$@"'

_UNDEFINED = re.compile(r"(?P<path>[^\s:]+):(?P<line>\d+):\d+: runtime error: (?P<what>.+)")
_ADDRESS = re.compile(r"==\d+==\s*ERROR: AddressSanitizer: (attempting )?(?P<what>.+)")
_UNTIL = re.compile(
    r" on (unknown )?address 0x| on 0x|: (?=memory|0x)| \(pc | \(thread | in thread "
)
_SIZE = re.compile(r"(READ|WRITE) of size \d+")
_SIGNAL = re.compile(r"caused by a (READ|WRITE) memory access")
_UNKNOWN = re.compile(r"unknown address 0x0*(\w+)")
_FRAME = re.compile(r"\s*#\d+ 0x\w+ in (?P<function>.+) (?P<path>[^\s:]+):(?P<line>\d+)(:\d+)?")
_SAID = re.compile(r"(?:.*: )?\s*(terminate called.+|what\(\): .+|Assertion .+ failed)")
_TEMPLATE = re.compile(r"<[^<>]*>")


def sanitized_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """The flags of a task, without those that sanitizers do not go with, and :data:`SANITIZE`."""
    return (*(flag for flag in flags if not _AGAINST.fullmatch(flag)), *SANITIZE)


def sanitized_command(executable: Path, memory: int = _MEMORY) -> list[str]:
    """The command that runs a program built with :func:`sanitized_flags`.

    It may hold ``memory`` bytes. AddressSanitizer reserves terabytes of address space, so the
    sandbox must not limit that: ``Limits(address_space=False)``.
    """
    return [
        *("/bin/sh", "-c", _SHELL, "sh", str(_STACK)),
        f"ASAN_OPTIONS={_ADDRESS_OPTIONS}:hard_rss_limit_mb={memory >> 20}",
        "UBSAN_OPTIONS=print_stacktrace=1",
        str(executable),
    ]


def sanitizer_cause(stderr: str) -> str:
    """What a sanitizer stopped a program for, and where in its own source, in one line.

    Nothing if none did: a program that ended otherwise, or that passed the memory it may hold,
    for with sanitizers it needs several times as much.
    """
    lines = stderr.splitlines()
    for number, line in enumerate(lines):
        report = list(takewhile(str.strip, lines[number:]))  # up to and with the first stack
        if found := _UNDEFINED.match(line):
            return found["what"] + _place(report, found)
        if found := _ADDRESS.match(line):
            return _cause(found["what"], report, lines[:number]) + _place(report)
    return ""


def _cause(what: str, report: Sequence[str], before: Sequence[str]) -> str:
    kind = _UNTIL.split(what)[0]
    if kind == "ABRT":
        said = [found[1] for line in before if (found := _SAID.match(line))]
        return " ".join(said) or "abort"
    if kind in {"SEGV", "BUS"} and (access := _SIGNAL.search("\n".join(report))):
        address = _UNKNOWN.search(what)
        return f"{kind}: {access[1]} at address 0x{address[1] if address else '?'}"
    size = _SIZE.match(report[1]) if len(report) > 1 else None
    return f"{kind}: {size[0]}" if size else kind


def _place(report: Sequence[str], known: re.Match[str] | None = None) -> str:
    """Where a stack was last in the program's own source."""
    frames = [frame for line in report if (frame := _FRAME.match(line)) and _is_own(frame["path"])]
    at = known if known and _is_own(known["path"]) else next(iter(frames), None)
    if at is None:
        return ""
    function = f" in {_name(frames[0]['function'])}()" if frames else ""
    return f" at {at['path'].removeprefix('./')}:{at['line']}{function}"


def _is_own(path: str) -> bool:
    """Libraries lie elsewhere, or are of C, whose files have relative paths too."""
    return not path.startswith(("/", "../")) and not path.endswith((".c", ".S"))


def _name(function: str) -> str:
    """The name of a function, without types."""
    shorter = function.replace("(anonymous namespace)::", "").partition("::{lambda")[0]
    while shorter != (shorter := _TEMPLATE.sub("", shorter)):
        pass
    return shorter.partition("(")[0].rpartition(" ")[2]
