"""Writes the inputs of this example; `python generate.py [FOLDER]`, by default beside it."""

import random
import sys
from pathlib import Path

SEED = 16


def ledger(rng: random.Random, payments: int, questions: int) -> str:
    """Amounts are in cents, most of them small."""
    lines = [f"{payments} {questions}"]
    lines.extend(f"{rng.random() ** 3 * 5_000:.2f}" for _ in range(payments))
    lines.extend(f"{rng.uniform(0, 5_000):.2f}" for _ in range(questions))
    return "\n".join(lines) + "\n"


def cases() -> list[str]:
    rng = random.Random(SEED)
    return [
        "1 2\n0.01\n0.01\n0.02\n",
        ledger(rng, payments=200, questions=20),
        ledger(rng, payments=10_000, questions=600),
        ledger(rng, payments=25_000, questions=1_000),
    ]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    tests = folder / "tests"
    tests.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(cases(), start=1):
        (tests / f"{number:03d}.in").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
