"""Callgrind: execution counts of a program's instructions, and the calls of functions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from maxcode.errors import ExecutorError
from maxcode.measure.valgrind import run_under_valgrind, widened
from maxcode.sandbox.base import NO_FILES, Completed, Files, Limits, Sandbox

SLOWDOWN = 100.0
"""How many times longer a program may take under callgrind; some 10 to 60 are usual."""

_OUTPUT = 24 << 20  # bytes of a report; that of a program of 1,000 lines takes about 1 MB
_MAX_SPOTS = 200_000
_OPTIONS = (
    *("-q", "--vgdb=no", "--sigill-diagnostics=yes"),
    # The program's standard output is bounded, in memory, and of no use to a profile. Callgrind
    # empties it and writes its report there when the program has ended.
    *("--callgrind-out-file=/dev/stdout", "--dump-instr=yes", "--compress-pos=no"),
)


@dataclass(frozen=True, slots=True)
class Function:
    """A function, by the file of its machine code and by its demangled name."""

    object: str
    name: str


@dataclass(frozen=True, slots=True)
class Spot:
    """An instruction: its function, its address there, and its source.

    Inlined code belongs to the function it was inlined into, but keeps its own ``file`` and
    ``line``; these are "???" and 0 where the object does not say.
    """

    function: Function
    address: int
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Calls:
    """Number of calls of a function from somewhere, and their total cost.

    The cost of a call within a running call of the same function is in the cost of the first only.
    """

    count: int = 0
    cost: int = 0

    def __add__(self, other: Calls) -> Calls:
        return Calls(self.count + other.count, self.cost + other.cost)


@dataclass(frozen=True, slots=True)
class FunctionCosts:
    """Costs of a function, in executed instructions.

    ``self`` is its own execution, inlined code included; ``inclusive`` adds its callees, counted
    once where it calls itself; ``calls`` is how often it was called.
    """

    self: int
    inclusive: int
    calls: int


@dataclass(frozen=True)
class Executed:
    """Costs of an execution, all in executed instructions.

    ``costs`` holds the instructions executed at each spot, ``calls`` the calls from it;
    ``recursive`` are the functions called while they ran already.
    """

    instructions: int
    costs: Mapping[Spot, int]
    calls: Mapping[tuple[Spot, Function], Calls]
    recursive: frozenset[Function] = frozenset()

    @property
    def spots(self) -> set[Spot]:
        """All spots with costs or calls."""
        return {*self.costs, *(spot for spot, _ in self.calls)}

    @cached_property
    def functions(self) -> dict[Function, FunctionCosts]:
        """The costs of each function."""
        own: dict[Function, int] = defaultdict(int)
        onward: dict[Function, int] = defaultdict(int)
        called: dict[Function, Calls] = defaultdict(Calls)
        for spot, cost in self.costs.items():
            own[spot.function] += cost
        for (spot, callee), calls in self.calls.items():
            onward[spot.function] += calls.cost
            called[callee] += calls
        return {
            f: FunctionCosts(own[f], called[f].cost or own[f] + onward[f], called[f].count)
            for f in sorted(own.keys() | called.keys(), key=lambda f: (f.object, f.name))
        }

    @property
    def allocations(self) -> int:
        """Calls to malloc and its kin, each ``new`` counted once, without the loader's."""
        return sum(
            calls.count
            for (spot, callee), calls in self.calls.items()
            if _ALLOCATES.match(callee.name)
            and not _ALLOCATES.match(spot.function.name)
            and not _LOADER.search(spot.function.object)
        )


_ALLOCATES = re.compile(
    r"operator new(\[\])?\(|(malloc|calloc|realloc|aligned_alloc|posix_memalign|memalign)(@|$)"
)
_LOADER = re.compile(r"/ld[-.][^/]*$")


def callgrind(
    sandbox: Sandbox, command: Sequence[str], limits: Limits, files: Files = NO_FILES
) -> tuple[Completed, Executed | None]:
    """Run a command under callgrind, and count its costs; None if it did not end well.

    ``limits`` are the program's own: they are widened for valgrind. Times, memory and output of the
    run are the instrument's. Raises :class:`~maxcode.errors.ToolError` when valgrind is missing or
    of an unknown build, and :class:`~maxcode.errors.ExecutorError` for a report that cannot be
    read: a program can break it.
    """
    wider = replace(widened(limits, SLOWDOWN), output=max(limits.output, _OUTPUT))
    completed = run_under_valgrind(sandbox, "callgrind", [*_OPTIONS, *command], wider, files)
    if not completed.ok:
        return completed, None
    return completed, parse(completed.stdout)


def parse(report: bytes) -> Executed:
    """Read callgrind's report (the "callgrind format", version 1, of the valgrind manual).

    Senseless lines are passed over. Raises :class:`~maxcode.errors.ExecutorError` when it is no
    such report, holds nothing, or is unreasonably large.
    """
    if not report.startswith(b"# callgrind format\n"):
        raise ExecutorError(f"callgrind left no report but {report[:60]!r}")
    if len(report) > _OUTPUT:
        raise ExecutorError(f"callgrind's report is larger than {_OUTPUT >> 20} MB")
    reader = _Reader()
    for line in report.decode("utf-8", "replace").split("\n"):
        reader.read(line)
        if len(reader.costs) + len(reader.calls) > _MAX_SPOTS:
            raise ExecutorError(f"callgrind's report names more than {_MAX_SPOTS} instructions")
    instructions = sum(reader.costs.values())
    if not instructions:
        raise ExecutorError("callgrind's report holds no costs")
    return Executed(
        instructions, dict(reader.costs), dict(reader.calls), frozenset(reader.recursive)
    )


_NAMED = re.compile(r"(ob|fl|fi|fe|fn|cob|cfi|cfl|cfn)=(?:\((\d{1,9})\) ?)?(.*)")
_COST = re.compile(r"0x([0-9a-f]{1,16}) (\d{1,9}) (\d{1,18})\s*$")
_CALLS = re.compile(r"calls=(\d{1,18}) ")
_RECURSION = re.compile(r"'\d+$")  # callgrind's mark for a call from within itself


class _Reader:
    """The state of reading a report: the latest names of each kind."""

    def __init__(self) -> None:
        self.costs: dict[Spot, int] = defaultdict(int)
        self.calls: dict[tuple[Spot, Function], Calls] = defaultdict(Calls)
        self.recursive: set[Function] = set()
        self._names: dict[tuple[str, str], str] = {}  # by kind and number
        self._object = self._file = "???"
        self._function = Function("???", "???")
        self._callee_object: str | None = None
        self._callee = self._function
        self._again = False  # called while it runs already
        self._called = 0  # how often; the next line says what it cost

    def read(self, line: str) -> None:
        if cost := _COST.match(line):
            self._cost(int(cost[1], 16), int(cost[2]), int(cost[3]))
        elif named := _NAMED.match(line):
            self._name(named[1], named[2], named[3].strip())
        elif calls := _CALLS.match(line):
            self._called = int(calls[1])

    def _cost(self, address: int, line: int, cost: int) -> None:
        spot = Spot(self._function, address, self._file, line)
        if not self._called:
            self.costs[spot] += cost
            return
        self.calls[spot, self._callee] += Calls(self._called, 0 if self._again else cost)
        self._called, self._callee_object = 0, None

    def _name(self, key: str, number: str | None, name: str) -> None:
        kind = {"ob": "object", "fn": "function"}.get(key[-2:], "file")
        if number is not None:
            if name:
                self._names[kind, number] = name
            name = self._names.get((kind, number), "???")
        match key:
            case "ob":
                self._object = name
            case "fn":
                self._function = Function(self._object, _RECURSION.sub("", name))
            case "fl" | "fi" | "fe":
                self._file = name
            case "cob":
                self._callee_object = name
            case "cfn":
                home = self._object if self._callee_object is None else self._callee_object
                self._callee = Function(home, _RECURSION.sub("", name))
                self._again = _RECURSION.search(name) is not None
                if self._again:
                    self.recursive.add(self._callee)
