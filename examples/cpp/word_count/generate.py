"""Writes the inputs of this example; `python generate.py [FOLDER]`, by default beside it."""

import random
import string
import sys
from pathlib import Path

SEED = 11


def text(rng: random.Random, words: int, vocabulary: int) -> str:
    """Some words are far more common than others, as in any language."""
    letters = string.ascii_lowercase
    known = ["".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(vocabulary)]
    pieces = []
    for position in range(words):
        word = known[int(vocabulary * rng.random() ** 2)]
        if rng.random() < 0.1:
            word = word.capitalize() if rng.random() < 0.5 else word + rng.choice(",.;!?")
        pieces.append(word + ("\n" if position % 12 == 11 else " "))
    return "".join(pieces).rstrip() + "\n"


def cases() -> list[str]:
    rng = random.Random(SEED)
    return [
        "\n",
        "One fish, two fish: red fish -- blue FISH!\n",
        text(rng, words=300, vocabulary=40),
        text(rng, words=20_000, vocabulary=8_000),
        text(rng, words=40_000, vocabulary=15_000),
    ]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    tests = folder / "tests"
    tests.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(cases(), start=1):
        (tests / f"{number:03d}.in").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
