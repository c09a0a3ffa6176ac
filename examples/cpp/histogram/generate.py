"""Writes the inputs of this example; `python generate.py [FOLDER]`, by default beside it."""

import sys
from pathlib import Path

DICE_SIDES_THROWS_SEED = [
    (1, 6, 0, 1),
    (2, 6, 100, 7),
    (3, 20, 500_000, 42),
    (2, 500, 2_000_000, 2024),
]


def cases() -> list[str]:
    return [" ".join(str(value) for value in row) + "\n" for row in DICE_SIDES_THROWS_SEED]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    tests = folder / "tests"
    tests.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(cases(), start=1):
        (tests / f"{number:03d}.in").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
