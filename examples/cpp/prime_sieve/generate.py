"""Writes the inputs of this example; `python generate.py [FOLDER]`, by default beside it."""

import random
import sys
from pathlib import Path

SEED = 12


def questions(rng: random.Random, limit: int, number: int) -> str:
    lines = [f"{limit} {number}"]
    for _ in range(number):
        low, high = sorted(rng.randint(1, limit) for _ in range(2))
        lines.append(f"{low} {high}")
    return "\n".join(lines) + "\n"


def cases() -> list[str]:
    rng = random.Random(SEED)
    return [
        "2 3\n1 1\n1 2\n2 2\n",
        questions(rng, limit=100, number=20),
        questions(rng, limit=60_000, number=4),
        questions(rng, limit=200_000, number=6),
    ]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    tests = folder / "tests"
    tests.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(cases(), start=1):
        (tests / f"{number:03d}.in").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
