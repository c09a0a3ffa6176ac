"""Writes the inputs of this example; `python generate.py [FOLDER]`, by default beside it."""

import sys
from pathlib import Path

SIZES_AND_SEEDS = [(1, 1, 2), (3, 5, 8), (280, 13, 21), (440, 34, 55)]


def cases() -> list[str]:
    return [f"{n} {seed_a} {seed_b}\n" for n, seed_a, seed_b in SIZES_AND_SEEDS]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    tests = folder / "tests"
    tests.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(cases(), start=1):
        (tests / f"{number:03d}.in").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
