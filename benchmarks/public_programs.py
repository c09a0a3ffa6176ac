"""Tasks of programs that others wrote, from a checkout of their repository; none is kept here.

The programs are solutions of the CSES problem set that somebody published: short, on standard
input, and meant to be quick. Their inputs are made here, a small and a large one of each form.

Usage: git clone https://github.com/mrsac7/CSES-Solutions
       git -C CSES-Solutions checkout 675f55c05f1fde93d1675069c07899474e425bc6
       python benchmarks/public_programs.py CSES-Solutions FOLDER
       python benchmarks/minimise.py --tasks FOLDER
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

from maxcode.errors import TaskError
from maxcode.executors.cpp.recording import record_task
from maxcode.tasks import save_task


def _line(values: Iterable[int]) -> str:
    return " ".join(map(str, values)) + "\n"


def _numbers(most: int, largest: int, *, size: int = 1) -> Callable[[Random, float], str]:
    """A count, other numbers of the head, then that many numbers."""

    def make(chance: Random, share: float) -> str:
        count = max(2, int(most * share))
        head = [count] + [chance.randint(1, 10 * count) for _ in range(size - 1)]
        return _line(head) + _line(chance.randint(1, largest) for _ in range(count))

    return make


def _queries(most: int) -> Callable[[Random, float], str]:
    def make(chance: Random, share: float) -> str:
        count = max(2, int(most * share))
        lines = [_line([count, count]), _line(chance.randint(1, 10**9) for _ in range(count))]
        pairs = (sorted(chance.randint(1, count) for _ in range(2)) for _ in range(count))
        lines += map(_line, pairs)
        return "".join(lines)

    return make


def _roads(most: int) -> Callable[[Random, float], str]:
    def make(chance: Random, share: float) -> str:
        count = max(3, int(most * share))
        edges = [(1 + chance.randrange(place), place + 1) for place in range(1, count)]
        edges += [(chance.randint(1, count), chance.randint(1, count)) for _ in range(count)]
        lines = [_line([*edge, chance.randint(1, 10**6)]) for edge in edges]
        return _line([count, len(edges)]) + "".join(lines)

    return make


def _books(most: int) -> Callable[[Random, float], str]:
    def make(chance: Random, share: float) -> str:
        count = max(2, int(most * share))
        prices, pages = ([chance.randint(1, 1000) for _ in range(count)] for _ in range(2))
        return _line([count, 50 * count]) + _line(prices) + _line(pages)

    return make


def _pairs(most: int) -> Callable[[Random, float], str]:
    def make(chance: Random, share: float) -> str:
        count = max(2, int(most * share))
        lines = [_line(sorted(chance.sample(range(1, 10**9), 2))) for _ in range(count)]
        return _line([count]) + "".join(lines)

    return make


PROGRAMS: dict[str, Callable[[Random, float], str]] = {
    "1073 - Towers": _numbers(100_000, 10**9),
    "1141 - Playlist": _numbers(100_000, 10**9),
    "1158 - Book Shop": _books(400),
    "1621 - Distinct Numbers": _numbers(100_000, 10**9),
    "1636 - Coin Combinations II": _numbers(60, 3000, size=2),
    "1640 - Sum of Two Values": _numbers(100_000, 10**9, size=2),
    "1646 - Static Range Sum Queries": _queries(100_000),
    "1671 - Shortest Routes I": _roads(50_000),
    "1713 - Counting Divisors": _numbers(50_000, 10**6),
    "2169 - Nested Ranges Count": _pairs(50_000),
}
"""How an input of each is made; the share is of its largest size."""


def main() -> None:
    checkout, folder = map(Path, sys.argv[1:])
    for name, make in PROGRAMS.items():
        chance = Random(name)
        with tempfile.TemporaryDirectory() as scratch:
            inputs = [Path(scratch, f"{number}.in") for number in range(4)]
            for path, share in zip(inputs, (0.0, 0.001, 0.2, 1.0), strict=True):
                path.write_text(make(chance, share))
            try:
                task = record_task(checkout / "src" / f"{name}.cpp", inputs, name=name)
            except TaskError as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
        save_task(task, folder / name.partition(" - ")[2].lower().replace(" ", "_"))
        print(name)


if __name__ == "__main__":
    main()
