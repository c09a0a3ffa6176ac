"""Writes the inputs of this example; `python generate.py [FOLDER]`, by default beside it."""

import random
import sys
from pathlib import Path

SEED = 14


def points(rng: random.Random, number: int) -> str:
    rows = (f"{rng.uniform(-1000, 1000):.3f} {rng.uniform(-1000, 1000):.3f}" for _ in range(number))
    return "\n".join([str(number), *rows]) + "\n"


def cases() -> list[str]:
    rng = random.Random(SEED)
    return [
        "2\n0 0\n3 4\n",
        "4\n1 1\n1 1\n-2 5\n10 1\n",
        points(rng, number=2_500),
        points(rng, number=4_500),
    ]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    tests = folder / "tests"
    tests.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(cases(), start=1):
        (tests / f"{number:03d}.in").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
