"""JsonModel: inputs whose lines are JSON values in one another, such as arguments of calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from typing import Any

from maxcode.errors import InputError

_TUPLE = 8  # values of a list that always has as many, at the most
_FEW = 12  # different texts up to which there are no others
_WIDER = 3  # times as large, beyond what is known
_EDGES = 0.1  # of the numbers are at an end of their range
_MAX_BYTES = 1 << 16
_LINES = 16  # of an input, even if the examples have fewer
_TRIES = 30

Json = Any
_Part = str | int  # a key of an object, or a position in a list of fixed length


@dataclass(frozen=True)
class _Node:
    """Values seen at a place: numbers and texts, lists of ``each``, and ``parts`` of fixed ones.

    ``lengths`` are relations of parts of this place: a number that is always the length of a list,
    or always a position in it.
    """

    kinds: tuple[str, ...] = ()
    numbers: tuple[float, float] = (0, 0)
    whole: bool = True
    texts: frozenset[str] = frozenset()
    sizes: tuple[int, int] = (0, 0)  # of lists and texts
    each: _Node | None = None
    rising: bool = False
    distinct: bool = False
    parts: dict[_Part, _Node] = field(default_factory=dict)
    optional: frozenset[_Part] = frozenset()
    fixed_list: bool = False
    lengths: tuple[tuple[_Part, _Part, bool], ...] = ()  # number, list, whether it is the length


def _kind(value: Json) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    kinds = ((str, "text"), (list, "list"), (dict, "object"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "number")


def _learn(values: Sequence[Json]) -> _Node:
    kinds = tuple(sorted({_kind(value) for value in values}))
    numbers = [value for value in values if _kind(value) == "number"]
    texts = [value for value in values if isinstance(value, str)]
    lists = [value for value in values if isinstance(value, list)]
    objects = [value for value in values if isinstance(value, dict)]
    long = [len(value) for value in (*lists, *texts)]
    parts: dict[_Part, list[Json]] = {}
    fixed = len(lists) > 1 and not objects and len({len(one) for one in lists}) == 1
    fixed = fixed and len(lists[0]) <= _TUPLE
    together: list[Json] = [*lists] if fixed else [*objects]
    for one in together:
        for key, part in enumerate(one) if fixed else one.items():
            parts.setdefault(key, []).append(part)
    nodes = {part: _learn(found) for part, found in parts.items()}
    return _Node(
        kinds,
        (min(numbers), max(numbers)) if numbers else (0, 0),
        all(isinstance(value, int) for value in numbers),
        frozenset(texts),
        (min(long), max(long)) if long else (0, 0),
        _learn([one for value in lists for one in value]) if lists and not fixed else None,
        _always(lists, lambda one: one == sorted(one)),
        _always(lists, lambda one: len({json.dumps(v) for v in one}) == len(one)),
        nodes,
        frozenset(part for part, found in parts.items() if len(found) < len(together)),
        fixed,
        tuple(_lengths(nodes, together)),
    )


def _always(lists: Sequence[list[Json]], holds: Any) -> bool:
    """Whether a fact holds for all lists, of which some are long enough to show it."""
    try:
        return any(len(one) > 3 for one in lists) and all(map(holds, lists))
    except TypeError:  # values that have no order
        return False


def _lengths(
    nodes: dict[_Part, _Node], values: Sequence[Json]
) -> Iterator[tuple[_Part, _Part, bool]]:
    numbers = [part for part, node in nodes.items() if node.kinds == ("number",) and node.whole]
    sized = [part for part, node in nodes.items() if node.kinds in (("list",), ("text",))]
    for number in numbers:
        for other in sized:
            pairs = [(v[number], len(v[other])) for v in values if _has(v, number, other)]
            if all(a == b for a, b in pairs):
                yield number, other, True
            elif all(0 <= a < b for a, b in pairs):
                yield number, other, False


def _has(value: Json, *parts: _Part) -> bool:
    keys = value if isinstance(value, dict) else range(len(value))
    return all(part in keys for part in parts)


class JsonModel:
    """Learned form of lines of JSON, with the methods of :class:`~maxcode.fuzz.InputModel`.

    Lists and texts keep to the lengths of the examples, numbers to their ranges, lists that are
    always sorted or without repetition stay so, as does a number that is always the length of a
    list beside it or a position in it.
    """

    known = True

    def __init__(self, examples: Sequence[bytes], documents: Sequence[list[Json]]) -> None:
        self._examples = frozenset(examples)
        self._count = max(_LINES, *map(len, documents))
        self._node = _learn(list(chain(*documents)))

    @classmethod
    def of(cls, examples: Sequence[bytes]) -> JsonModel | None:
        """The model, or None unless all lines are JSON, and some hold values in one another."""
        documents = [lines for one in examples if (lines := _lines(one))]
        values = chain(*documents)
        inside = (v for one in values for v in (one.values() if isinstance(one, dict) else one))
        nested = any(isinstance(one, list | dict) for one in inside)
        return cls(examples, documents) if nested and len(documents) == len(examples) else None

    def describe(self) -> str:
        """Learned form, in words."""
        return f"1 to {self._count} lines of JSON, each {_described(self._node)}"

    def draw(self, seed: int, count: int, *, beyond: bool = False) -> list[bytes]:
        """Draw up to ``count`` inputs within the known form and ranges, or ``beyond`` them."""
        made = []
        for number in range(count):
            for attempt in range(_TRIES):
                rng = Random(f"{seed} {number} {beyond} {attempt}")
                lines = rng.randint(1, self._count)
                wider = rng.randrange(lines) if beyond else -1
                values = [_drawn(self._node, rng, wide=n == wider) for n in range(lines)]
                data = _written(values)
                if len(data) <= _MAX_BYTES and bool(self.beyond(data)) is beyond:
                    made.append(data)
                    break
        return made

    def like(self, example: bytes, *, seed: int, wide: bool = False) -> bytes:
        """A fresh input with the lengths of ``example``."""
        del wide
        lines = _lines(example)
        if lines is None:
            raise InputError("the example does not have the structure of the others")
        rng = Random(seed)
        return _written([_drawn(self._node, rng, like=value) for value in lines])

    def beyond(self, data: bytes) -> str:
        """Ways in which an input leaves the known form, in words; empty for none."""
        if data in self._examples:
            return ""
        lines = _lines(data)
        if lines is None:
            return "another format"
        ways = dict.fromkeys(way for value in lines for way in _ways(self._node, value, ""))
        return "; ".join(list(ways)[:2])

    def smaller(self, data: bytes) -> Iterator[bytes]:
        """Smaller inputs: fewer lines, then shorter lists and smaller numbers."""
        lines = _lines(data) or []
        for number in range(len(lines) if len(lines) > 1 else 0):
            yield _written(lines[:number] + lines[number + 1 :])
        for number, value in enumerate(lines):
            for less in _less(self._node, value):
                yield _written([*lines[:number], less, *lines[number + 1 :]])


def _lines(example: bytes) -> list[Json] | None:
    try:
        lines = [json.loads(line) for line in example.decode().splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None
    return lines if lines and all(isinstance(one, list | dict) for one in lines) else None


def _written(values: Sequence[Json]) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def _drawn(node: _Node, rng: Random, *, like: Json = None, wide: bool = False) -> Json:
    """A value of a place; ``like`` another, or at one place ``wide`` of the ranges."""
    kind = rng.choice(node.kinds) if like is None or _kind(like) not in node.kinds else _kind(like)
    if kind in ("null", "true", "false"):
        return json.loads(kind)
    if kind == "number":
        return _number(node, rng, wide=wide)
    if kind == "text":
        return _text(node, rng, len(like) if isinstance(like, str) else None, wide=wide)
    if kind == "list" and not node.fixed_list:
        return _list(node, rng, like, wide=wide)
    chosen = [part for part in node.parts if part not in node.optional or rng.random() < 0.5]
    widened = rng.choice(chosen) if wide and chosen else None
    made = {
        part: _drawn(node.parts[part], rng, like=_part(like, part), wide=part == widened)
        for part in chosen
    }
    for number, sized, is_length in node.lengths:
        if number in made and sized in made and number != widened:
            size = len(made[sized])
            low, high = map(int, node.parts[number].numbers)
            most = max(min(high, size - 1), 0)
            made[number] = size if is_length else rng.randint(min(low, most), most)
    return list(made.values()) if kind == "list" else made


def _part(like: Json, part: _Part) -> Json:
    there = isinstance(like, list | dict) and _has(like, part)
    return like[part] if there else None


def _number(node: _Node, rng: Random, *, wide: bool) -> float:
    low, high = node.numbers
    if wide:
        more = rng.randint(1, int(_WIDER * max(high - low, 1)) + 1)
        return rng.choice((low - more, high + more))
    if not node.whole:
        return round(rng.uniform(low, high), 6)
    least, most = int(low), int(high)
    return rng.choice((least, most)) if rng.random() < _EDGES else rng.randint(least, most)


def _text(node: _Node, rng: Random, size: int | None, *, wide: bool) -> str:
    if len(node.texts) <= _FEW and not wide:
        return rng.choice(sorted(node.texts))
    letters = sorted({letter for text in node.texts for letter in text}) or ["a"]
    low, high = (len(one) for one in (min(node.texts, key=len), max(node.texts, key=len)))
    size = rng.randint(high + 1, _WIDER * (high + 1)) if wide else size
    return "".join(rng.choices(letters, k=rng.randint(low, high) if size is None else size))


def _list(node: _Node, rng: Random, like: Json, *, wide: bool) -> list[Json]:
    low, high = node.sizes
    size = len(like) if isinstance(like, list) else round(low + (high - low) * rng.random() ** 3)
    longer = wide and rng.random() < 0.5
    size = rng.randint(high + 1, _WIDER * (high + 1)) if longer else size
    each = node.each or _Node(("null",))
    made = [_drawn(each, rng) for _ in range(size)] if each.kinds else []
    if wide and made and not longer:
        made[rng.randrange(len(made))] = _drawn(each, rng, wide=True)
    if node.distinct:
        made = list({json.dumps(one): one for one in made}.values())
    return sorted(made) if node.rising else made


def _ways(node: _Node, value: Json, place: str) -> Iterator[str]:
    kind = _kind(value)
    name = place or "a line"
    if kind not in node.kinds:
        yield f"{name} is {kind}"
    elif kind == "number" and not node.numbers[0] <= value <= node.numbers[1]:
        yield f"{name} of {value}, not {node.numbers[0]:g} to {node.numbers[1]:g}"
    elif kind == "text" and value not in node.texts:
        if len(node.texts) <= _FEW:
            yield f"{name} of {value[:20]!r}"
        elif not node.sizes[0] <= len(value) <= node.sizes[1]:
            yield f"{name} of {len(value)} letters"
    elif kind == "list" and not node.fixed_list:
        if not node.sizes[0] <= len(value) <= node.sizes[1]:
            yield f"{name} of {len(value)} values, not {node.sizes[0]} to {node.sizes[1]}"
        for one in value:
            yield from _ways(node.each or _Node(), one, f"{name}[]")
    elif kind in ("list", "object"):
        keys = range(len(value)) if kind == "list" else value
        if any(key not in node.parts for key in keys) or not _has(
            value, *node.parts.keys() - node.optional
        ):
            yield f"{name} has other parts"
            return
        for key in keys:
            yield from _ways(node.parts[key], value[key], f"{place}.{key}".lstrip("."))


def _less(node: _Node, value: Json) -> Iterator[Json]:
    kind = _kind(value)
    if kind == "number" and node.whole and value > max(node.numbers[0], 0):
        yield max(int(node.numbers[0]), 0)
        yield max(int(node.numbers[0]), value // 2)
    elif kind == "list" and not node.fixed_list:
        if len(value) > max(node.sizes[0], 1):
            yield value[: max(node.sizes[0], len(value) // 2)]
            yield value[-max(node.sizes[0], len(value) // 2) :]
            for place in range(min(len(value), 32)):
                yield value[:place] + value[place + 1 :]
        for place in range(min(len(value), 32)):
            for less in _less(node.each or _Node(), value[place]):
                yield [*value[:place], less, *value[place + 1 :]]
    elif kind in ("list", "object"):
        for part in node.parts:
            if _has(value, part):
                for less in _less(node.parts[part], value[part]):
                    copy: Json = list(value) if kind == "list" else dict(value)
                    copy[part] = less
                    yield copy


def _described(node: _Node) -> str:
    return " or ".join(_form(node, kind) for kind in node.kinds)


def _form(node: _Node, kind: str) -> str:
    if kind == "number":
        noun = "integer" if node.whole else "number"
        return f"{noun} {node.numbers[0]:g} to {node.numbers[1]:g}"
    size = f"{node.sizes[0]} to {node.sizes[1]}"
    if kind == "text":
        few = len(node.texts) <= _FEW
        choices = "one of " + ", ".join(map(repr, sorted(node.texts)))
        return choices if few else f"text of {size} letters"
    if kind == "object":
        named = (f"{key}: {_described(part)}" for key, part in node.parts.items())
        return "{" + "; ".join(named) + "}"
    if kind != "list":
        return kind
    if node.fixed_list:
        return "[" + "; ".join(map(_described, node.parts.values())) + "]"
    facts = ", sorted" * node.rising + ", all different" * node.distinct
    each = f" of {_described(node.each)}" if node.each and node.each.kinds else ""
    return f"list of {size} values{facts}{each}"
