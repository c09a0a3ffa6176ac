"""Writes the inputs of this example; `python generate.py [FOLDER]`, by default beside it."""

import random
import string
import sys
from pathlib import Path

SEED = 13
STEPS = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]


def puzzle(rng: random.Random, size: int, words: int) -> str:
    """Two words of three are read off the grid; the third is random and as good as never there."""
    letters = string.ascii_lowercase
    grid = ["".join(rng.choices(letters, k=size)) for _ in range(size)]
    sought: list[str] = []
    while len(sought) < words:
        length = rng.randint(4, min(size, 9))
        row, column = rng.randrange(size), rng.randrange(size)
        down, right = rng.choice(STEPS)
        last_row, last_column = row + down * (length - 1), column + right * (length - 1)
        if len(sought) % 3 == 2:
            sought.append("".join(rng.choices(letters, k=length)))
        elif 0 <= last_row < size and 0 <= last_column < size:
            cells = ((row + down * i, column + right * i) for i in range(length))
            sought.append("".join(grid[r][c] for r, c in cells))
    return "\n".join([f"{size} {size} {words}", *grid, *sought]) + "\n"


def cases() -> list[str]:
    rng = random.Random(SEED)
    return [
        "1 1 2\na\na\nb\n",
        "2 3 4\ncat\ndog\ntac\ngat\ndot\no\n",
        puzzle(rng, size=12, words=6),
        puzzle(rng, size=24, words=30),
        puzzle(rng, size=30, words=36),
    ]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    tests = folder / "tests"
    tests.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(cases(), start=1):
        (tests / f"{number:03d}.in").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
