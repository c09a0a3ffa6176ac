"""Functions and lines of a C++ program: readable names, where inlined code came from, its costs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath

from maxcode.measure.callgrind import Executed, Function, Spot
from maxcode.sandbox.base import Files, Limits, Sandbox
from maxcode.system import ScratchFolder, find_tool
from maxcode.text import in_ascii

_MAX_NAME = 4000  # of a name that is looked at; template-heavy names reach thousands of characters
_MAX_SHORT_NAME = 80  # what is kept of a name that stays long
_OPERATOR = re.compile(r"operator ?(<=>|<<=|>>=|<<|>>|<=|>=|->\*|->|<|>|\(\)|\[\])")
_BRACKETS, _CONTROLS = "<>()[]", "\1\2\3\4\5\6"
_HIDDEN, _SHOWN = str.maketrans(_BRACKETS, _CONTROLS), str.maketrans(_CONTROLS, _BRACKETS)
_INNERMOST = re.compile(r"<[^<>()\[\]]*>|\(([^<>()\[\]]*)\)|\[[^<>()\[\]]*\]")
_SPACED = re.compile(r"operator (new|delete)(\[\])?")
_CONVERSION = re.compile(r"\S*\boperator \w.*$")
_VARIANT = re.compile(r"'\d+$| ?\[clone .*\]$|\.(isra|part|constprop|cold|lto_priv)\b.*$|@.*$")
_ALIASES = (
    (re.compile(r"\b__cxx11::"), ""),
    (
        re.compile(r"\bbasic_(string|[io]?stream|[io]?fstream|[io]?stringstream|ios|filebuf)\b"),
        r"\1",
    ),
    (re.compile(r"\(anonymous namespace\)::"), ""),
)
_COPIES = re.compile(r"^(.*\b(\w+)::)(\2|operator=)$")  # a constructor or an assignment


@cache
def short_name(name: str) -> str:
    """A demangled name without template arguments, parameters, return type and variants.

    ``std::vector<int, std::allocator<int> >::push_back(int const&)`` is ``std::vector::push_back``.
    A copy constructor or assignment says so, ``std::vector::vector (copy)``, since its
    distinguishing parameters are gone. Unprintable characters become question marks.
    """
    text = in_ascii(name[:_MAX_NAME])
    if text in {"(below main)", "_start"}:
        return "start-up"
    for pattern, instead in _ALIASES:
        text = pattern.sub(instead, text)
    text = _VARIANT.sub("", text)
    if spaced := _SPACED.search(text):
        return spaced[0]
    outer, parameters = _outer(text)
    converts = _CONVERSION.search(outer)
    outer = converts[0] if converts else outer.rpartition(" ")[2]  # behind the return type
    if (copying := _COPIES.match(outer)) and _is_own_type(copying[2], parameters):
        outer += " (copy)"
    return outer[:_MAX_SHORT_NAME] or "?"


def _is_own_type(name: str, parameters: str) -> bool:
    return bool(re.fullmatch(rf"(\w+::)*{name} const&", parameters))


def _outer(text: str) -> tuple[str, str]:
    """Text outside all brackets, and text in the last round ones."""
    text = _OPERATOR.sub(lambda found: found[0].replace(" ", "").translate(_HIDDEN), text)
    parameters = ""
    while found := [*_INNERMOST.finditer(text)]:
        parameters = next((one[1] for one in reversed(found) if one[1] is not None), parameters)
        text = _INNERMOST.sub("", text)
    outer = re.sub(r"( (const|volatile|&|&&|noexcept))+$", "", text.strip())
    return outer.translate(_SHOWN), parameters


_LIMITS = Limits(seconds=20.0, memory=2 << 30, output=64 << 20)
_ADDRESS = re.compile(r"0x([0-9a-f]{1,16})$")
_PLACE = re.compile(r"(.*):(\d{1,9}|\?)( \(discriminator \d+\))?$")


@dataclass(frozen=True, slots=True)
class Frame:
    """A function and the place in it; "??" and 0 where unknown."""

    function: str
    file: str
    line: int


def frames(
    sandbox: Sandbox, executable: Path, addresses: Iterable[int]
) -> Mapping[int, tuple[Frame, ...]]:
    """Frames of each address, the innermost first, without unknown addresses.

    All frames of an address but the last were inlined. Asks addr2line of the GNU binutils, which
    come with g++, in the sandbox: the debugging information is a stranger's. Raises
    :class:`~maxcode.errors.ToolError` when it is missing.
    """
    found = find_tool("addr2line")
    with ScratchFolder("maxcode-symbols-") as folder:
        folder.chmod(0o755)  # a sandbox may read as another user
        asked = folder / "addresses"
        asked.write_text("".join(f"{address:#x}\n" for address in addresses))
        asked.chmod(0o444)
        command = [found, "--exe", str(executable), "--addresses", "--functions", "--inlines"]
        completed = sandbox.run(
            [*command, "--demangle"], _LIMITS, Files(stdin=asked, read=(executable,))
        )
    output = completed.stdout.decode("utf-8", "replace") if completed.ok else ""
    return _parsed(output)


def _parsed(output: str) -> dict[int, tuple[Frame, ...]]:
    """An address, then two lines a frame: the function's name, and file:line."""
    found: dict[int, tuple[Frame, ...]] = {}
    address, name = -1, ""
    for line in output.splitlines():
        if start := _ADDRESS.match(line):
            address, name = int(start[1], 16), ""
        elif not name:
            name = line
        else:
            if (place := _PLACE.match(line)) and place[1] != "??":
                number = int(place[2]) if place[2].isdigit() else 0
                found[address] = (*found.get(address, ()), Frame(name, place[1], number))
            name = ""
    return found


Own = Callable[[str], str | None]
"""Function from a source file to the program's name for it, None for other files."""


def own_files(paths: Iterable[str], place: str = "") -> Own:
    """Finds a program's files by the paths of a compiler or interpreter.

    With ``place`` files of absolute paths are below it; else they are anywhere but in /usr.
    """
    files = {PurePosixPath(path).parts: path for path in paths}

    @cache
    def own(path: str) -> str | None:
        pure = PurePosixPath(path)
        if pure.is_relative_to("/usr") or (
            place and pure.is_absolute() and not pure.is_relative_to(place)
        ):
            return None
        parts = tuple(part for part in pure.parts if part not in ("..", "."))
        ends = (parts[start:] for start in range(len(parts)))
        return next((files[end] for end in ends if end in files), None)

    return own


Line = tuple[str, int]
"""A file of the program and a line of it."""

_MAX_CHAIN = 50  # the longest chain of library functions that is followed
_NEGLIGIBLE = 1e-6  # of everything executed


@dataclass(frozen=True, slots=True)
class _Target:
    """A line and its function, and the library's called there; "" for code of its own."""

    line: Line
    through: str
    function: str


@dataclass(slots=True)
class Attributed:
    """Cost caused by a line in libraries, by the library function it calls.

    The key "" holds its own execution. ``function`` is the program's function around the line.
    """

    function: str
    parts: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @property
    def cost(self) -> float:
        """All parts together."""
        return sum(self.parts.values())


def attribute(
    executed: Executed, origins: Mapping[Spot, tuple[Frame, ...]], own: Own
) -> dict[Line, Attributed]:
    """Cost caused by each line of the program.

    ``origins`` are the frames of instructions, where more is known than callgrind says; ``own``
    gives the program's name for a source file, or None for files of others. Costs no line asked for
    (of the dynamic loader, say) are in none.
    """
    lines: dict[Line, Attributed] = {}

    def charge(target: _Target, through: str, cost: float) -> None:
        lines.setdefault(target.line, Attributed(target.function)).parts[through] += cost

    targets = {spot: _target(spot, origins.get(spot, ()), own) for spot in executed.spots}
    waiting: dict[Function, float] = defaultdict(float)  # cost in search of a line
    for spot, cost in executed.costs.items():
        if target := targets.get(spot):
            charge(target, target.through, cost)
        else:
            waiting[spot.function] += cost
    callers: dict[Function, list[tuple[Function, _Target | None, int]]] = defaultdict(list)
    for (spot, callee), calls in executed.calls.items():
        if spot.function != callee and calls.cost:
            callers[callee].append((spot.function, targets.get(spot), calls.cost))
    for _ in range(_MAX_CHAIN):
        least = _NEGLIGIBLE * executed.instructions
        moving = {f: held for f, held in waiting.items() if held > least}
        if not moving:
            break
        waiting = defaultdict(float)
        for function, held in moving.items():
            total = sum(weight for _, _, weight in callers[function])
            for caller, target, weight in callers[function]:
                part = held * weight / total
                if target is None:
                    waiting[caller] += part
                else:
                    charge(target, target.through or short_name(function.name), part)
    return lines


def _target(spot: Spot, frames: tuple[Frame, ...], own: Own) -> _Target | None:
    """Innermost place in the program's own files, and the function inlined there."""
    through = ""
    for frame in frames or (Frame(spot.function.name, spot.file, spot.line),):
        if (path := own(frame.file)) is not None and frame.line:
            return _Target((path, frame.line), through, short_name(frame.function))
        through = short_name(frame.function)
    return None
