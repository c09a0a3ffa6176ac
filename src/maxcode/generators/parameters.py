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
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import product
from math import isfinite, prod

from maxcode.errors import InputError
from maxcode.program import Program

Number = int | float
Point = tuple[str, ...]
"""A value for each parameter, in their order, as written in the program."""

_MOST_PARAMETERS, _MOST_VALUES = 32, 1024
_LONGEST = 1000  # characters of a line, or of a restriction

_ITEM = re.compile(r"""[+-]?[\w.:]+(?:[eE][+-]\d+[fFlL]?)?|'[^']*'|"[^"]*\"""")
_INTEGER = re.compile(r"([+-]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0|[1-9]\d*))[uUlLzZ]*")
_FLOAT = re.compile(r"([+-]?(?:\d+\.\d*|\.?\d+)(?:[eE][+-]?\d+)?)[fFlL]?")
_TRUTHS = {"true": 1, "false": 0, "True": 1, "False": 0}

_MACRO = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\S+)[ \t]*")
_VARIABLE = re.compile(
    r"[^=]*?\b(\w+)[ \t]*(?:=[ \t]*([^\s;{}]+)|\{[ \t]*([^\s;{}]+)[ \t]*\})[ \t]*;[ \t]*"
)
_PYTHON = re.compile(r"[ \t]*(\w+)[ \t]*(?::[^=]*)?=[ \t]*(\S+)[ \t]*")
_LISTED = re.compile(r"(//|#)[ \t]*tune:(.*)")
_RESTRICTED = re.compile(r"(?://|#)[ \t]*tune-if:(.*)")
_RANGE = re.compile(r"(\d+)\.\.(\d+)")


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
    """Place of a value in a file."""

    name: str
    path: str
    span: tuple[int, int]


@dataclass(slots=True)
class _Declared:
    """Declarations of a program. ``where`` gives the line of each name for messages."""

    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    places: list[_Place] = field(default_factory=list)
    restrictions: list[tuple[str, str]] = field(default_factory=list)  # each with its place
    where: dict[str, str] = field(default_factory=dict)


class Tunable:
    """A program with declared parameters.

    ``skeleton`` identifies it without their values: programs with other values share it. ``values``
    are its own, each parameter's value as its list has it, or as it is written where the list lacks
    it.
    """

    def __init__(self, program: Program, declared: _Declared) -> None:
        self.program = program
        names, self._places = declared.values, declared.places
        if len(names) > _MOST_PARAMETERS:
            raise InputError(f"{len(names)} parameters are too many; {_MOST_PARAMETERS} at most")
        self.parameters = tuple(Parameter(*item) for item in names.items())
        self._restrictions = [_restriction(text, at, names) for text, at in declared.restrictions]
        written = {
            place.name: program.files[place.path][slice(*place.span)] for place in self._places
        }
        self.values = tuple(_as_listed(written[one.name], one.values) for one in self.parameters)
        self.skeleton = self._skeleton()

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
        return self._rewritten(lambda place: chosen[place.name])

    def _skeleton(self) -> str:
        blank = self._rewritten(lambda _: "\0")
        content = [blank.entry, dict(blank.files), [[p.name, *p.values] for p in self.parameters]]
        return sha256(json.dumps(content).encode()).hexdigest()

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
    declared = _Declared()
    for path in paths:
        text = program.files.get(path, "")
        if "tune" in text:
            _read_comments(path, text, declared)
    return Tunable(program, declared) if declared.values else None


def number(value: str) -> Number | None:
    """The number of a value in C++ or Python, suffixes aside; None for other values."""
    if value in _TRUTHS:
        return _TRUTHS[value]
    if whole := _INTEGER.fullmatch(value):
        return int(whole[1], 0)
    if real := _FLOAT.fullmatch(value):
        parsed = float(real[1])
        return parsed if isfinite(parsed) else None
    return None


def _as_listed(written: str, values: tuple[str, ...]) -> str:
    """A value as its list has it: ``0x10`` is ``16`` there."""
    known = number(written)
    same = [one for one in values if one == written or (known is not None and number(one) == known)]
    return same[0] if same else written


def _sorted(values: Iterable[str], at: str) -> tuple[str, ...]:
    """The values, each once; numbers in rising order. Raises :class:`InputError`."""
    first: dict[str | Number, str] = {}
    for one in values:
        known = number(one)
        first.setdefault(one if known is None else known, one)
    unique = list(first.values())
    if len(unique) < 2:
        raise InputError(f"{at}: a parameter needs at least two values")
    if len(unique) > _MOST_VALUES:
        raise InputError(f"{at}: {len(unique)} values are too many; {_MOST_VALUES} at most")
    numbers = {one: number(one) for one in unique}
    if any(known is None for known in numbers.values()):
        return tuple(sorted(unique))
    return tuple(sorted(unique, key=lambda one: numbers[one] or 0))


def _read_comments(path: str, text: str, declared: _Declared) -> None:
    """Add the declarations in comments of a file."""
    hidden = [match.span() for match in re.finditer(r"/\*.*?\*/", text, re.DOTALL)]
    start = 0
    for line_number, line in enumerate(text.splitlines(keepends=True), 1):
        at = f"{path}, line {line_number}"
        begin, start = start, start + len(line)
        if any(a <= begin < b for a, b in hidden):
            continue
        if len(line) > _LONGEST:
            if "// tune" in line or "# tune" in line:
                raise InputError(f"{at}: a line to tune is longer than {_LONGEST} characters")
            continue
        if restricted := _RESTRICTED.search(line):
            declared.restrictions.append((restricted[1].strip(), at))
        if not (listed := _LISTED.search(line)):
            continue
        head = line[: listed.start()]
        if not head.strip() or head.lstrip().startswith(listed[1]):
            continue  # no declaration: only words, or one that is switched off
        python = _PYTHON.fullmatch(head) if listed[1] == "#" else None
        match = python or _MACRO.fullmatch(head) or _VARIABLE.fullmatch(head)
        group = 3 if match and match.re is _VARIABLE and match[3] else 2
        if not (match and _ITEM.fullmatch(match[group])):
            raise InputError(
                f"{at}: values to tune belong behind '#define NAME VALUE', 'NAME = VALUE;' or in "
                "Python NAME = VALUE"
            )
        name, given = match[1], _sorted(_listed(listed[2], at), at)
        if declared.values.setdefault(name, given) != given:
            raise InputError(f"{at}: {name} has other values than at {declared.where[name]}")
        declared.where.setdefault(name, at)
        a, b = match.span(group)
        declared.places.append(_Place(name, path, (begin + a, begin + b)))


def _listed(text: str, at: str) -> list[str]:
    """``8 16 32``, ``1..8`` or ``8..1024 x2`` as values. Raises :class:`InputError`."""
    items = text.replace(",", " ").split()
    values: list[str] = []
    while items:
        item = items.pop(0)
        if bounds := _RANGE.fullmatch(item):
            step = items.pop(0) if items and re.fullmatch(r"[x+]\d+", items[0]) else "+1"
            values += _range(int(bounds[1]), int(bounds[2]), step, at)
        elif _ITEM.fullmatch(item):
            values.append(item)
        else:
            raise InputError(
                f"{at}: cannot read {item!r}; values are written like 8 16 32, 1..8 or 8..1024 x2"
            )
    return values


def _range(first: int, last: int, step: str, at: str) -> list[str]:
    by = int(step[1:])
    if by < (2 if step[0] == "x" else 1) or (step[0] == "x" and first == 0):
        raise InputError(f"{at}: {first}..{last} {step} never ends")
    values: list[str] = []
    while first <= last:
        values.append(str(first))
        first = first * by if step[0] == "x" else first + by
        if len(values) > _MOST_VALUES:
            raise InputError(f"{at}: a range has at most {_MOST_VALUES} values")
    return values


# -- restrictions ------------------------------------------------------------------------------

_ARITHMETIC = (
    *(ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Load, ast.And, ast.Or),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.UAdd, ast.USub, ast.Not),
    *(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq),
)
_Values = Mapping[str, str | Number]


def _restriction(text: str, at: str, names: Iterable[str]) -> Callable[[_Values], bool]:
    """A restriction as a function of the values. Raises :class:`InputError`."""
    names = list(names)
    try:
        if len(text) > _LONGEST:
            raise ValueError("it is too long")
        written = text.replace("&&", " and ").replace("||", " or ").strip()
        tree = ast.parse(written, mode="eval")
        for node in ast.walk(tree):
            _check(node, names)
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


def _check(node: ast.AST, names: list[str]) -> None:
    """Raise ValueError for anything but the arithmetic of numbers and parameters."""
    match node:
        case ast.Name(id=name) if name not in names:
            raise ValueError(f"{name} is no parameter")
        case ast.Name() | ast.Constant(value=int() | float()):
            return
    if not isinstance(node, _ARITHMETIC):
        raise ValueError(f"{type(node).__name__} is not allowed")
