"""What g++ complains of, made short: the first errors, each with its place and its code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maxcode.program import Program
from maxcode.sandbox.base import Completed
from maxcode.toolchain.compiler import MEMORY, OUTPUT

_ERRORS = 3
_WIDTH = 300  # characters of a line: types in messages can be thousands long
_LINES = 40
_UNPARSED = 2000
_NO_MEMORY = re.compile(rb"out of memory allocating|memory exhausted|annot allocate memory")
_NO_SPACE = re.compile(rb"File size limit exceeded|File too large|No space left on device")
_ERROR = re.compile(
    r"\S.*?: (fatal error|internal compiler error|[Ee]rror|sorry, unimplemented): (?!ld returned)"
    r"|.*(undefined reference to|multiple definition of|cannot find -l)"
)
_HINT = re.compile(r".*: note: .*did you ")
_NEEDED = re.compile(r"(\S+?):(\d+):\d+:\s+required from here")
_IN_FUNCTION = re.compile(r"(?:\S*ld: )?\S+: in function (`.*'):$")
_LINKERS_OWN = re.compile(r"^\S*/ld: |<artificial>:|/\S+\.o:|\(\.\S+\):(?= )")
_OUR_FOLDER = re.compile(r"(?<!\S)\S*?\./(?=\S)")


def exhausted(completed: Completed) -> str:
    """Which limit a build ran into, other than that on its time; nothing if none."""
    if completed.overfull or (not completed.ok and _NO_MEMORY.search(completed.stderr)):
        return f"the build needed more than {MEMORY >> 30} GiB of memory and was stopped"
    if completed.flooded or (not completed.ok and _NO_SPACE.search(completed.stderr)):
        return f"the build made more than {OUTPUT >> 20} MiB and was stopped"
    return ""


def complaint(completed: Completed, program: Program) -> str:
    """The first errors with the code that g++ shows, without its notes.

    For an error inside a library, the place in the program that led there comes first.
    """
    output = completed.stderr.decode("utf-8", "replace").translate({0x2018: "'", 0x2019: "'"})
    kept = [line.rstrip()[:_WIDTH] for line in _essence(output.splitlines(), program)][:_LINES]
    return "\n".join(kept) or output.strip()[:_UNPARSED] or f"the build {completed.cause}"


def _essence(lines: list[str], program: Program) -> Iterator[str]:
    told, keeping, function = set[str](), False, ""
    needed: re.Match[str] | None = None
    for line in lines:
        if found := _NEEDED.match(line):
            needed, keeping = found, False
        elif found := _IN_FUNCTION.match(line):
            function, keeping = found[1], False
        elif _ERROR.match(line):
            message = _tidy(line, function)
            keeping = message not in told
            if not keeping:
                continue
            if len(told) == _ERRORS:
                return
            told.add(message)
            if needed:
                yield from _place(needed, program)
                keeping = not line.startswith("/")  # the library's code is of no help then
            yield message
            needed = None
        elif line.startswith((" ", "\t")):
            if keeping:
                yield line
        else:
            if told and _HINT.match(line):
                yield _tidy(line)
            keeping = False


def _place(needed: re.Match[str], program: Program) -> Iterator[str]:
    path, number = _tidy(needed[1]), int(needed[2])
    yield re.sub(r":\s+", ": ", _tidy(needed[0]))
    lines = program.files.get(path, "").split("\n")
    if 0 < number <= len(lines):
        yield f"{number:5} | {lines[number - 1]}"


def _tidy(line: str, function: str = "") -> str:
    """A line without where things lay while they were built."""
    shorter = _OUR_FOLDER.sub("", _LINKERS_OWN.sub("", line)).strip()
    if function and "undefined reference" in shorter:
        shorter += f" in {function}"
    return shorter
