"""Programs that provoke a rewrite, and generators of the inputs that are legal for them.

Each module here is named after a rewrite, and its ``CASES`` were written from the rewrite's summary
alone, without a look at how it finds its places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from random import Random

Inputs = Callable[[Random], str]
Count = int | tuple[int, int]


@dataclass(frozen=True, slots=True)
class Case:
    """A program, its legal inputs, and the inputs that a task's author would have given.

    ``legal`` says that the rewrite may be applied; otherwise there is an input, not among those
    ``given``, for which a careless application prints something else.
    """

    body: str
    inputs: Inputs
    given: tuple[str, ...]
    legal: bool

    @property
    def code(self) -> str:
        """The whole program; a body without includes gets all headers, and std:: if it needs it."""
        if "#include" in self.body:
            return self.body.lstrip("\n")
        opened = "" if "std::" in self.body else "using namespace std;\n"
        return f"#include <bits/stdc++.h>\n{opened}{self.body}"


def trap(body: str, inputs: Inputs, *given: str) -> Case:
    """A program that only a careful rewrite leaves right."""
    return Case(body, inputs, given, legal=False)


def plain(body: str, inputs: Inputs, *given: str) -> Case:
    """A program to which the rewrite may be applied."""
    return Case(body, inputs, given, legal=True)


def cases(rewrite: str) -> list[Case]:
    """All programs for the rewrite of this name."""
    module = import_module(f"tests.generators.rewrites.meaning.{rewrite.replace('-', '_')}")
    found: list[Case] = module.CASES
    return found


def numbers(rng: Random, count: Count, lo: int, hi: int) -> list[int]:
    """Integers from ``lo`` to ``hi``: of the whole range, of few values, near its ends, in order."""
    size = count if isinstance(count, int) else rng.randint(*count)
    usual = [value for value in (lo, lo + 1, -1, 0, 1, 2, hi - 1, hi) if lo <= value <= hi]
    few = [rng.randint(lo, hi) for _ in range(2)] + [rng.choice(usual)]
    some = range(max(lo, -9), min(hi, 9) + 1) or range(lo, min(hi, lo + 9) + 1)
    way = rng.randrange(6)
    if way == 0:
        return rng.choices(usual, k=size)
    if way == 1:
        return rng.choices(few, k=size)
    if way == 2:
        return rng.choices(some, k=size)
    values = [rng.randint(lo, hi) for _ in range(size)]
    return sorted(values) if way == 3 else values


def ints(count: Count, lo: int, hi: int, sep: str = " ") -> Inputs:
    """Integers on one line, or with another separator."""
    return lambda rng: sep.join(map(str, numbers(rng, count, lo, hi)))


def counted(count: Count, lo: int, hi: int) -> Inputs:
    """How many integers there are, and these."""
    return counting(ints(count, lo, hi))


def counting(inner: Inputs) -> Inputs:
    """How many words there are, and these."""

    def make(rng: Random) -> str:
        text = inner(rng)
        return f"{len(text.split())}\n{text}"

    return make


def words(count: Count, alphabet: str = "abc", size: Count = (1, 5), sep: str = " ") -> Inputs:
    """Words of few letters, so that some are equal."""

    def make(rng: Random) -> str:
        many = count if isinstance(count, int) else rng.randint(*count)
        sizes = (size if isinstance(size, int) else rng.randint(*size) for _ in range(many))
        return sep.join("".join(rng.choices(alphabet, k=one)) for one in sizes)

    return make


def sized(make: Callable[..., str], *sizes: tuple[int, int] | list[int]) -> Inputs:
    """Result of ``make`` for the generator and a number from each of the ranges or lists."""

    def draw(rng: Random) -> str:
        drawn = (rng.randint(*one) if isinstance(one, tuple) else rng.choice(one) for one in sizes)
        return make(rng, *drawn)

    return draw


def listed(make: Callable[[Random, list[int]], str], count: Count, lo: int, hi: int) -> Inputs:
    """Result of ``make`` for the generator and a list of integers."""
    return lambda rng: make(rng, numbers(rng, count, lo, hi))


def grid(height: Count, width: Count, lo: int, hi: int, *, header: bool = True) -> Inputs:
    """A table of integers after its height and width."""

    def make(rng: Random) -> str:
        rows = height if isinstance(height, int) else rng.randint(*height)
        columns = width if isinstance(width, int) else rng.randint(*width)
        lines = [" ".join(map(str, numbers(rng, columns, lo, hi))) for _ in range(rows)]
        return "\n".join([f"{rows} {columns}"] * header + lines)

    return make


def rows(count: Count, *forms: Inputs, header: bool = True) -> Inputs:
    """How many lines there are, and these, each of one of the forms."""

    def make(rng: Random) -> str:
        many = count if isinstance(count, int) else rng.randint(*count)
        lines = [rng.choice(forms)(rng) for _ in range(many)]
        return "\n".join([str(many)] * header + lines)

    return make


def line(*parts: Inputs | str, sep: str = " ") -> Inputs:
    """The parts, one after the other; a text stands for itself."""
    return lambda rng: sep.join(part if isinstance(part, str) else part(rng) for part in parts)


def lines(*parts: Inputs | str) -> Inputs:
    """The parts, each on a line."""
    return line(*parts, sep="\n")


def one(*texts: str) -> Inputs:
    """One of the texts."""
    return lambda rng: rng.choice(texts)


def either(*forms: Inputs) -> Inputs:
    """Inputs of one of the forms."""
    return lambda rng: rng.choice(forms)(rng)


def inputs_of(case: Case, rng: Random, count: int) -> list[bytes]:
    """The given inputs and as many others as make ``count``, without repetitions."""
    given = [text if text.endswith("\n") else f"{text}\n" for text in case.given]
    others = (f"{case.inputs(rng)}\n" for _ in range(max(0, count - len(given))))
    return [text.encode() for text in dict.fromkeys([*given, *others])]
