"""Tunable parameters: how a program declares them, and the same program with other values.

In C, C++ and CUDA, also inside a Python string, a comment gives the values of a macro or a
variable::

    #define TILE 16                // tune: 8 16 32 64
    constexpr int unroll = 4;      // tune: 1..8
    const int block = 256;         // tune: 32..1024 x2
    // tune-if: TILE * unroll <= 256

``a..b`` counts by one, ``a..b +s`` by s, and ``a..b xs`` multiplies by s. Comments of Python begin
with ``#``::

    BLOCK = 32  # tune: 16 32 64
    # tune-if: BLOCK * WARPS <= 1024

Nothing of a program is executed; restrictions are evaluated here.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice, product
from math import isfinite, prod

from maxcode.errors import InputError
from maxcode.program import Program

Number = int | float
Point = tuple[str, ...]
"""A value for each parameter, in their order, as written in the program."""

_MOST_VALUES = 1024
_LONGEST = 1000  # characters of a line

_ITEM = re.compile(r"""[+-]?[\w.:]+(?:[eE][+-]\d+[fFlL]?)?|'[^']*'|"[^"]*\"""")
_TRUTHS = {"true": 1, "false": 0, "True": 1, "False": 0}
_DEFINITIONS = tuple(
    re.compile(text)
    for text in (
        r"[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)[ \t]+(?P<value>\S+)[ \t]*",
        r"[^=]*?\b(?P<name>\w+)[ \t]*=[ \t]*(?P<value>[^\s;{}]+)[ \t]*;[ \t]*",
        r"[^=]*?\b(?P<name>\w+)[ \t]*\{[ \t]*(?P<value>[^\s;{}]+)[ \t]*\}[ \t]*;[ \t]*",
    )
)
_PYTHON = re.compile(r"[ \t]*(?P<name>\w+)[ \t]*(?::[^=]*)?=[ \t]*(?P<value>\S+)[ \t]*")
_COMMENT = re.compile(r"(//|#)[ \t]*tune(-if)?:(.*)")
_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_STEP = re.compile(r"([x+])(\d+)")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A name and its possible values, as they are written; numbers in rising order."""

    name: str
    values: tuple[str, ...]

    @property
    def ordered(self) -> bool:
        """Whether all values are numbers."""
        return all(number(value) is not None for value in self.values)


@dataclass(frozen=True, slots=True)
class _Place:
    """Place of a value in a file; ``at`` names it in messages."""

    parameter: Parameter
    path: str
    span: tuple[int, int]
    at: str


class Tunable:
    """A program with declared parameters.

    ``skeleton`` identifies it without their values: programs with other values share it. ``values``
    are its own, as they are written. Raises :class:`~maxcode.errors.InputError` for declarations
    that contradict each other.
    """

    def __init__(
        self, program: Program, places: Iterable[_Place], restrictions: Iterable[tuple[str, str]]
    ) -> None:
        self.program = program
        self._places = list(places)
        first: dict[str, _Place] = {}
        for place in self._places:
            known = first.setdefault(place.parameter.name, place)
            if known.parameter != place.parameter:
                raise InputError(
                    f"{place.at}: {place.parameter.name} has other values than at {known.at}"
                )
        self.parameters = tuple(place.parameter for place in first.values())
        self._restrictions = [_restriction(text, at, list(first)) for text, at in restrictions]
        spans = ((place.path, slice(*place.span)) for place in first.values())
        self.values = tuple(program.files[path][span] for path, span in spans)
        blank = self._rewritten(lambda _: "\0")
        names = [[one.name, *one.values] for one in self.parameters]
        content = json.dumps([blank.entry, dict(blank.files), names])
        self.skeleton = sha256(content.encode()).hexdigest()

    @property
    def size(self) -> int:
        """The number of points, restrictions aside."""
        return prod(len(one.values) for one in self.parameters)

    def points(self) -> Iterator[Point]:
        """All points allowed by the restrictions, in a fixed order."""
        return filter(self.allowed, product(*(one.values for one in self.parameters)))

    def allowed(self, point: Point) -> bool:
        """Whether a point keeps to all restrictions; not if any cannot be computed."""
        values = {
            one.name: value if (known := number(value)) is None else known
            for one, value in zip(self.parameters, point, strict=True)
        }
        try:
            return all(restriction(values) for restriction in self._restrictions)
        except (ArithmeticError, TypeError, ValueError):
            return False

    def with_values(self, point: Point) -> Program:
        """The program with these values; all else stays byte for byte."""
        chosen = dict(zip((one.name for one in self.parameters), point, strict=True))
        return self._rewritten(lambda place: chosen[place.parameter.name])

    def _rewritten(self, text: Callable[[_Place], str]) -> Program:
        files = dict(self.program.files)
        for place in sorted(self._places, key=lambda one: one.span, reverse=True):
            start, end = place.span
            files[place.path] = files[place.path][:start] + text(place) + files[place.path][end:]
        return Program(files, self.program.entry)


def read(program: Program, paths: Iterable[str]) -> Tunable | None:
    """The program's declarations in the files of these ``paths``; None without any.

    Raises :class:`~maxcode.errors.InputError` with file and line of an unreadable declaration.
    """
    places: list[_Place] = []
    restrictions: list[tuple[str, str]] = []
    for path in paths:
        begin = 0
        for count, line in enumerate(program.files.get(path, "").splitlines(keepends=True), 1):
            if comment := _COMMENT.search(line):
                at = f"{path}, line {count}"
                if len(line) > _LONGEST:
                    raise InputError(f"{at}: a line to tune is longer than {_LONGEST} characters")
                if comment[2]:
                    restrictions.append((comment[3].strip(), at))
                elif place := _place(path, comment, begin, at):
                    places.append(place)
            begin += len(line)
    return Tunable(program, places, restrictions) if places else None


def _place(path: str, comment: re.Match[str], begin: int, at: str) -> _Place | None:
    """The declaration before a comment; None without any. Raises :class:`InputError`."""
    mark, _, listed = comment.groups()
    head = comment.string[: comment.start()]
    if not head.strip() or head.lstrip().startswith(mark):
        return None  # only words, or a declaration that is switched off
    forms = (*_DEFINITIONS, _PYTHON) if mark == "#" else _DEFINITIONS
    match = next(filter(None, (form.fullmatch(head) for form in forms)), None)
    if match is None or not _ITEM.fullmatch(match["value"]):
        raise InputError(
            f"{at}: values to tune belong behind '#define NAME VALUE', 'NAME = VALUE;' or in "
            "Python NAME = VALUE"
        )
    start, end = match.span("value")
    parameter = Parameter(match["name"], _sorted(_listed(listed, at), at))
    return _Place(parameter, path, (begin + start, begin + end), at)


def number(value: str) -> Number | None:
    """The number of a value in C++ or Python, suffixes aside; None for other values."""
    if value in _TRUTHS:
        return _TRUTHS[value]
    with suppress(ValueError):
        return int(value.rstrip("uUlLzZ"), 0)
    with suppress(ValueError):
        real = float(value.rstrip("fFlL"))
        return real if isfinite(real) else None
    return None


def _sorted(values: Iterable[str], at: str) -> tuple[str, ...]:
    """The values, each once; numbers in rising order. Raises :class:`InputError`."""
    known = {value: number(value) for value in values}
    if len(known) < 2:
        raise InputError(f"{at}: a parameter needs at least two values")
    if len(known) > _MOST_VALUES:
        raise InputError(f"{at}: a parameter has at most {_MOST_VALUES} values")
    if None in known.values():
        return tuple(sorted(known))
    return tuple(sorted(known, key=lambda value: known[value] or 0))


def _listed(text: str, at: str) -> Iterator[str]:
    """``8 16 32``, ``1..8`` or ``8..1024 x2`` as values. Raises :class:`InputError`."""
    items = text.replace(",", " ").split()
    while items:
        item = items.pop(0)
        if bounds := _RANGE.fullmatch(item):
            step = _STEP.fullmatch(items[0]) if items else None
            kind, by = (step[1], int(step[2])) if step else ("+", 1)
            del items[: 1 if step else 0]
            first, last = int(bounds[1]), int(bounds[2])
            if by < (2 if kind == "x" else 1) or (kind == "x" and first == 0):
                raise InputError(f"{at}: {item} {kind}{by} never ends")
            yield from islice(_range(first, last, kind, by), _MOST_VALUES + 1)
        elif _ITEM.fullmatch(item):
            yield item
        else:
            raise InputError(
                f"{at}: cannot read {item!r}; values are written like 8 16 32, 1..8 or 8..1024 x2"
            )


def _range(value: int, last: int, kind: str, by: int) -> Iterator[str]:
    while value <= last:
        yield str(value)
        value = value * by if kind == "x" else value + by


_ARITHMETIC = (
    *(ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Load, ast.And, ast.Or),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.UAdd, ast.USub, ast.Not),
    *(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq),
)
_Values = Mapping[str, str | Number]


def _restriction(text: str, at: str, names: list[str]) -> Callable[[_Values], bool]:
    """A restriction as a function of the values. Raises :class:`InputError`."""
    try:
        tree = ast.parse(text.replace("&&", " and ").replace("||", " or ").strip(), mode="eval")
        for node in ast.walk(tree):
            match node:
                case ast.Name(id=name) if name not in names:
                    raise ValueError(f"{name} is no parameter")
                case ast.Name() | ast.Constant(value=int() | float()):
                    continue
            if not isinstance(node, _ARITHMETIC):
                raise ValueError(f"{type(node).__name__} is not allowed")
        code = compile(tree, at, "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = "it is no expression" if isinstance(error, SyntaxError) else error
        raise InputError(
            f"{at}: cannot use the restriction {text[:200]!r}: {why}; it may have parameters "
            f"({', '.join(names)}), numbers, + - * / // %, comparisons, and, or, not"
        ) from error
    used = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]

    def holds(values: _Values) -> bool:
        if any(isinstance(values[name], str) for name in used):
            return False
        return bool(eval(code, {"__builtins__": {}}, values))  # noqa: S307 - arithmetic alone

    return holds
