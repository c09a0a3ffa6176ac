"""Blame: which lines of a program are answerable for what was executed.

An instruction of the library counts for the line of the program that wanted it: for the line that
it was inlined into, or else for the lines that called, through however many library functions. A
library function that several lines call is shared out among them by what callgrind counted for
their calls; below the second library function that is an estimate, as it is in gprof (Graham,
Kessler and McKusick, "gprof: a call graph execution profiler", 1982).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from maxcode.measure.callgrind import Executed, Function, Spot
from maxcode.measure.inlining import Frame
from maxcode.measure.symbols import short_name

Line = tuple[str, int]
"""A file of the program and a line of it."""

_ROUNDS = 50  # the longest chain of library functions that is followed
_NEGLIGIBLE = 1e-6  # of everything executed


@dataclass(frozen=True, slots=True)
class _Target:
    """A line and its function, and the library's that it calls there; "" for code of its own."""

    line: Line
    through: str
    function: str


@dataclass(slots=True)
class Blamed:
    """What a line made be executed, by the library function that it did that through.

    The key "" holds what it executed itself. ``function`` is the program's that the line is in.
    """

    function: str
    parts: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @property
    def cost(self) -> float:
        """All parts together."""
        return sum(self.parts.values())


def blame(
    executed: Executed,
    executable: str,
    frames: Mapping[int, tuple[Frame, ...]],
    own: Callable[[str], str | None],
) -> dict[Line, Blamed]:
    """What each line of the program made be executed.

    ``frames`` tells where the instructions of the
    object ``executable`` come from; ``own`` gives the program's name for a source file, or None
    for those of others. What no line asked for (the dynamic loader, say) is in none.
    """
    lines: dict[Line, Blamed] = {}

    def charge(target: _Target, through: str, cost: float) -> None:
        lines.setdefault(target.line, Blamed(target.function)).parts[through] += cost

    targets = {
        spot: _target(spot, frames.get(spot.address, ()), own)
        for spot in {*executed.costs, *(spot for spot, _ in executed.calls)}
        if spot.function.object == executable
    }
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
    for _ in range(_ROUNDS):
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


def _target(
    spot: Spot, frames: tuple[Frame, ...], own: Callable[[str], str | None]
) -> _Target | None:
    """The innermost place in the program's own files, and what was inlined there."""
    through = ""
    for frame in frames or (Frame(spot.function.name, spot.file, spot.line),):
        if (path := own(frame.file)) is not None and frame.line:
            return _Target((path, frame.line), through, short_name(frame.function))
        through = short_name(frame.function)
    return None
