"""Smaller sizes for a reference in KernelBench's format, so that a CPU can judge it.

Sizes are the integers, and products of integers, that a file assigns to names at its top level,
alone or in a tuple or list, and that ``get_inputs`` or ``get_init_inputs`` use, directly or through
other names. The rule:

1. A size whose name contains "batch" becomes at most 4.
2. All others are divided by one power of two, the least that makes the product of all sizes (for
   a list, of its largest) at most 2**22. One that ``get_inputs`` uses twice, as the sides of a
   square are, becomes at most 1024.
3. None becomes less than 32, so kernel sizes, strides, groups and heads stay as they are.
4. Divisions round down, to a multiple of those smaller sizes (and of 8, 4 or 2) of which the size
   was a multiple before.
5. A number that also stands in the code of a class or function stays as it is, for that code
   counts on it. For a batch constructors are not looked at: their numbers are channels.

What derives from a size follows. Numbers that are written inside the functions stay, and so do
those in a tuple together with a name. But for rule 1, equal sizes stay equal.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from maxcode.errors import TaskError
from maxcode.tasks.reference import INPUTS, PythonSource, input_constants, values_of

BATCH = 4
SMALLEST = 32
LARGEST_SIDE = 1024
ALIGNED = 8
PRODUCT = 1 << 22
MAX_PARTS = 64  # of a list: no file may make us compute for long

Size = int | tuple[int, ...]


def small_sizes(source: str, where: str = "the reference") -> dict[str, Size]:
    """The sizes reduced by the rule, with their new values, in the order of the names.

    Raises :class:`~maxcode.errors.TaskError` for a syntax error.
    """
    parsed = PythonSource.parse(source, where)
    sizes = dict(_sizes(parsed, input_constants(source, where)))
    batches = {name: size for name, size in sizes.items() if "batch" in name.lower()}
    others = {name: size for name, size in sizes.items() if name not in batches}
    sides = {n for name in _used_twice(parsed) & others.keys() for n in _numbers(others[name])}
    kept = _written(parsed, constructors=False)
    numbers = {number for size in batches.values() for number in _numbers(size)}
    capped = _mapped(batches, {n: n if n in kept else min(n, BATCH) for n in numbers})
    new = {**capped, **_divided(others, _written(parsed), sides, _product(capped))}
    return {name: new[name] for name in sorted(sizes) if new[name] != sizes[name]}


def _divided(
    sizes: Mapping[str, Size], kept: Collection[int], sides: Collection[int], batches: int
) -> dict[str, Size]:
    """Rules 2 to 4; ``batches`` is the product of all other sizes."""
    small, times, before = dict(sizes), 0, None
    while batches * _product(small) > PRODUCT and small != before:
        before, times = small, times + 1
        small = _mapped(sizes, _halved(sizes, kept, {}, times))
    return _mapped(sizes, _halved(sizes, kept, dict.fromkeys(sides, LARGEST_SIDE), times))


def _halved(
    sizes: Mapping[str, Size], kept: Collection[int], limits: Mapping[int, int], times: int
) -> dict[int, int]:
    """The new value of each number; smaller numbers first, since larger ones stay multiples of
    them."""
    found: dict[int, int] = {}
    for number in sorted({number for size in sizes.values() for number in _numbers(size)}):
        units = [new for old, new in found.items() if number % old == 0]
        unit = math.lcm(math.gcd(number, ALIGNED), *units)
        target = min(number >> times, limits.get(number, number))
        small = max(target // unit, -(-SMALLEST // unit)) * unit
        found[number] = number if number in kept else min(small, number)
    return found


def _sizes(source: PythonSource, names: Collection[str]) -> Iterator[tuple[str, Size]]:
    """Names of positive integers; the last value counts."""
    for name in names:
        try:
            values = [_evaluated(node) for node in values_of(source, name, names)]
        except TaskError:  # bound in a way that is not rewritten, so it stays
            continue
        known = [value for value in values if value is not None]
        if known and len(known) == len(values):
            yield name, known[-1]


def _evaluated(node: ast.expr) -> Size | None:
    """The value of a positive integer, computed or not, or of a sequence; None for all else."""
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool) and number > 0:
            return number
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _product_of(_evaluated(left), _evaluated(right))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            numbers = [_evaluated(part) for part in parts]
            ints = tuple(number for number in numbers if isinstance(number, int))
            return ints if ints and len(ints) == len(numbers) else None
    return None


def _product_of(one: Size | None, other: Size | None) -> Size | None:
    match one, other:
        case int(), int():
            return one * other
        case tuple(), int() if other <= MAX_PARTS:
            return one * other
    return None


def _written(source: PythonSource, *, constructors: bool = True) -> set[int]:
    """Integers in classes and functions other than those that make inputs."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    left_out = INPUTS if constructors else (*INPUTS, "__init__")
    front: list[ast.AST] = [s for s in source.tree.body if isinstance(s, kinds)]
    found = set()
    while front:
        node = front.pop()
        if isinstance(node, kinds) and node.name in left_out:
            continue
        if isinstance(node, ast.expr) and isinstance(number := _evaluated(node), int):
            found.add(number)
        front += ast.iter_child_nodes(node)
    return found


def _used_twice(source: PythonSource) -> set[str]:
    """Names with several places in ``get_inputs``."""
    body = source.tree.body
    maker = next(s for s in body if isinstance(s, ast.FunctionDef) and s.name == INPUTS[0])
    uses = Counter(node.id for node in ast.walk(maker) if isinstance(node, ast.Name))
    return {name for name, count in uses.items() if count > 1}


def _numbers(size: Size) -> tuple[int, ...]:
    return size if isinstance(size, tuple) else (size,)


def _mapped(sizes: Mapping[str, Size], new: Mapping[int, int]) -> dict[str, Size]:
    return {
        name: new[size] if isinstance(size, int) else tuple(new[number] for number in size)
        for name, size in sizes.items()
    }


def _product(sizes: Mapping[str, Size]) -> int:
    return math.prod(max(_numbers(size)) for size in sizes.values())
