"""Tunable parameters: how a program declares them, and the same program with other values.

In C, C++ and CUDA, also inside a Python string, a comment gives the values of a macro or a
variable::

    #define TILE 16                // tune: 8 16 32 64
    constexpr int unroll = 4;      // tune: 1..8
    const int block = 256;         // tune: 32..1024 x2
    // tune-if: TILE * unroll <= 256

``a..b`` counts by one, ``a..b +s`` by s, and ``a..b xs`` multiplies by s. In Python a dictionary
and a list at the top of the module say it; a parameter without an assignment of its own has the
first value of its list::

    TUNE = {"BLOCK": [16, 32, 64], "WARPS": [1, 2, 4]}
    TUNE_IF = ["BLOCK * WARPS <= 1024"]
    BLOCK = 32

Nothing of a program is executed: Python is parsed, and restrictions are evaluated here.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
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

_ITEM = re.compile(r"[+-]?[\w.:]+(?:[eE][+-]\d+[fFlL]?)?")
_INTEGER = re.compile(r"([+-]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0|[1-9]\d*))[uUlLzZ]*")
_FLOAT = re.compile(r"([+-]?(?:\d+\.\d*|\.?\d+)(?:[eE][+-]?\d+)?)[fFlL]?")
_TRUTHS = {"true": 1, "false": 0, "True": 1, "False": 0}

_MARK = "// tune"
_MACRO = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\S+)[ \t]*")
_VARIABLE = re.compile(
    r"[^=]*?\b(\w+)[ \t]*(?:=[ \t]*([^\s;{}]+)|\{[ \t]*([^\s;{}]+)[ \t]*\})[ \t]*;[ \t]*"
)
_LISTED = re.compile(r"//[ \t]*tune:(.*)")
_RESTRICTED = re.compile(r"//[ \t]*tune-if:(.*)")
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
    """Place of a value in a file: a span, or those of a list whose first element counts."""

    name: str
    path: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """Declarations of a file. ``where`` gives the line of each name for messages."""

    values: dict[str, tuple[str, ...]]
    places: tuple[_Place, ...]
    restrictions: tuple[tuple[str, str], ...]  # each with its place
    where: dict[str, str]


class Tunable:
    """A program with declared parameters.

    ``skeleton`` identifies it without their values: programs with other values share it. ``values``
    are its own, each parameter's value as its list has it, or as it is written where the list lacks
    it.
    """

    def __init__(self, program: Program, found: Iterable[_Found]) -> None:
        self.program = program
        declared: dict[str, tuple[str, ...]] = {}
        where: dict[str, str] = {}
        self._places: list[_Place] = []
        restrictions: list[tuple[str, str]] = []
        for one in found:
            for name, values in one.values.items():
                if declared.setdefault(name, values) != values:
                    raise InputError(
                        f"{one.where[name]}: {name} has other values than at {where[name]}"
                    )
                where.setdefault(name, one.where[name])
            self._places += one.places
            restrictions += one.restrictions
        if len(declared) > _MOST_PARAMETERS:
            raise InputError(f"{len(declared)} parameters are too many; {_MOST_PARAMETERS} at most")
        self.parameters = tuple(Parameter(*item) for item in declared.items())
        self._restrictions = [_restriction(text, at, declared) for text, at in restrictions]
        written = {place.name: self._text(place.path, place.spans[0]) for place in self._places}
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
        return self._rewritten(lambda place: self._texts(place, chosen[place.name]))

    def _texts(self, place: _Place, value: str) -> list[str]:
        """Texts for the spans of a place: a list gets the value first, the others sorted."""
        if len(place.spans) == 1:
            return [value]
        (values,) = (one.values for one in self.parameters if one.name == place.name)
        return [value, *(other for other in values if other != value)]

    def _skeleton(self) -> str:
        blank = self._rewritten(lambda place: ["\0"] * len(place.spans))
        content = [blank.entry, dict(blank.files), [[p.name, *p.values] for p in self.parameters]]
        return sha256(json.dumps(content).encode()).hexdigest()

    def _rewritten(self, texts: Callable[[_Place], list[str]]) -> Program:
        edits: dict[str, list[tuple[tuple[int, int], str]]] = {}
        for place in self._places:
            edits.setdefault(place.path, []).extend(zip(place.spans, texts(place), strict=True))
        files = dict(self.program.files)
        for path, changes in edits.items():
            for (start, end), text in sorted(changes, reverse=True):
                files[path] = files[path][:start] + text + files[path][end:]
        return Program(files, self.program.entry)

    def _text(self, path: str, span: tuple[int, int]) -> str:
        return self.program.files[path][slice(*span)]


def read(program: Program, paths: Iterable[str]) -> Tunable | None:
    """The program's declarations in the files of these ``paths``; None without any.

    Raises :class:`~maxcode.errors.InputError` with file and line of an unreadable declaration.
    """
    found = []
    for path in paths:
        text = program.files.get(path, "")
        if "tune" in text.lower():
            found.append(_in_comments(path, text))
            if path.endswith(".py"):
                found.append(_in_python(path, text))
    return Tunable(program, found) if any(one.values for one in found) else None


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


# -- C, C++ and CUDA ---------------------------------------------------------------------------


def _in_comments(path: str, text: str) -> _Found:
    """Declarations in comments of a file."""
    values: dict[str, tuple[str, ...]] = {}
    where: dict[str, str] = {}
    places: list[_Place] = []
    restrictions: list[tuple[str, str]] = []
    hidden = [match.span() for match in re.finditer(r"/\*.*?\*/", text, re.DOTALL)]
    start = 0
    for line_number, line in enumerate(text.splitlines(keepends=True), 1):
        at = f"{path}, line {line_number}"
        begin, start = start, start + len(line)
        if any(a <= begin < b for a, b in hidden):
            continue
        if len(line) > _LONGEST:
            if _MARK in line:
                raise InputError(
                    f"{at}: a line with {_MARK!r} is longer than {_LONGEST} characters"
                )
            continue
        if restricted := _RESTRICTED.search(line):
            restrictions.append((restricted[1].strip(), at))
        if not (listed := _LISTED.search(line)):
            continue
        head = line[: listed.start()]
        if not head.strip() or head.lstrip().startswith("//"):
            continue  # no declaration: only words, or one that is switched off
        match = _MACRO.fullmatch(head) or _VARIABLE.fullmatch(head)
        group = 3 if match and match.re is _VARIABLE and match[3] else 2
        if not (match and _ITEM.fullmatch(match[group])):
            raise InputError(
                f"{at}: values to tune belong behind '#define NAME VALUE' or 'NAME = VALUE;'"
            )
        name, given = match[1], _sorted(_listed(listed[1], at), at)
        if values.setdefault(name, given) != given:
            raise InputError(f"{at}: {name} has other values than at {where[name]}")
        where.setdefault(name, at)
        a, b = match.span(group)
        places.append(_Place(name, path, ((begin + a, begin + b),)))
    return _Found(values, tuple(places), tuple(restrictions), where)


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


# -- Python ------------------------------------------------------------------------------------


def _in_python(path: str, text: str) -> _Found:
    """Declarations in ``TUNE`` and ``TUNE_IF`` of a module."""
    nothing = _Found({}, (), (), {})
    if "TUNE" not in text:
        return nothing
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return nothing  # it will not run either
    assigned = dict(_assigned(module))
    if "TUNE" not in assigned:
        return nothing
    at = f"{path}, line {assigned['TUNE'].lineno}"
    table = assigned["TUNE"]
    if not isinstance(table, ast.Dict):
        raise InputError(f'{at}: TUNE is a dictionary like {{"BLOCK": [16, 32]}}')
    lines = _line_starts(text)
    values: dict[str, tuple[str, ...]] = {}
    places: list[_Place] = []
    for key, listed in zip(table.keys, table.values, strict=True):
        name = _constant(key)
        if not isinstance(name, str) or not isinstance(listed, ast.List | ast.Tuple):
            raise InputError(f'{at}: TUNE holds lists under names, like {{"BLOCK": [16, 32]}}')
        if name in values:
            raise InputError(f"{at}: TUNE has {name!r} twice")
        if any(_constant(one) is None for one in listed.elts):
            raise InputError(f"{at}: the values of {name} must be numbers, truths or strings")
        spans = tuple(_span(text, lines, one) for one in listed.elts)
        values[name] = _sorted([text[slice(*span)] for span in spans], at)
        own = assigned.get(name)
        if own is not None and _constant(own) is not None:
            spans = (_span(text, lines, own),)
        elif len(values[name]) < len(spans):
            raise InputError(f"{at}: {name} has a value twice")
        places.append(_Place(name, path, spans))
    restrictions = assigned.get("TUNE_IF")
    given = restrictions.elts if isinstance(restrictions, ast.List | ast.Tuple) else []
    texts = [_constant(one) for one in given]
    if (restrictions is not None and not given) or not all(isinstance(one, str) for one in texts):
        raise InputError(f'{at}: TUNE_IF is a list of strings like ["BLOCK * WARPS <= 1024"]')
    return _Found(
        values, tuple(places), tuple((str(one), at) for one in texts), dict.fromkeys(values, at)
    )


def _assigned(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Names at the top of a module and their values."""
    for one in module.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.value:
            yield one.target.id, one.value
        if isinstance(one, ast.Assign) and len(one.targets) == 1:
            target = one.targets[0]
            if isinstance(target, ast.Name):
                yield target.id, one.value


def _constant(node: ast.expr | None) -> str | Number | None:
    """The number, truth or string of an expression; None for others."""
    sign = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd)
    inner = node.operand if sign and isinstance(node, ast.UnaryOp) else node
    value = inner.value if isinstance(inner, ast.Constant) else None
    kinds = (int, float) if sign else (int, float, str)
    return value if isinstance(value, kinds) else None


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]


def _span(text: str, lines: list[int], node: ast.expr) -> tuple[int, int]:
    """Where an expression stands, in characters: ast counts bytes of UTF-8 in a line."""
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    ends = ((node.lineno, node.col_offset), (end_line, end_column))
    first, last = (
        lines[line - 1] + len(text[lines[line - 1] :][: column + 1].encode()[:column].decode())
        for line, column in ends
    )
    return first, last


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
