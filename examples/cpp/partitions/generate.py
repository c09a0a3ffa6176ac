"""Writes the inputs of this example; `python generate.py [FOLDER]`, by default beside it."""

import sys
from pathlib import Path

QUESTIONS = [
    [(0, 0), (1, 1), (5, 0)],
    [(n, k) for n in range(1, 16) for k in (2, 5, n)],
    [(60, 60), (64, 30), (70, 12)],
    [(72, 36), (74, 20)],
]


def cases() -> list[str]:
    texts = []
    for questions in QUESTIONS:
        lines = [str(len(questions)), *(f"{n} {k}" for n, k in questions)]
        texts.append("\n".join(lines) + "\n")
    return texts


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    tests = folder / "tests"
    tests.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(cases(), start=1):
        (tests / f"{number:03d}.in").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
