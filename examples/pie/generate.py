"""Writes what can be written anew here: `python generate.py [FOLDER] [--outputs]`.

The JSON lines are made from the programs, the inputs are drawn from a seed. With --outputs the slow
programs are built with g++ too, and what they print becomes the expected outputs.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEED = 7
TESTS = range(20)
LARGE = range(14, 20)  # the tests that take time

Draw = Callable[[int, int], int]


def pairs_with_a_sum(draw: Draw, large: bool) -> str:
    n = draw(12_000, 14_000) if large else draw(1, 40)
    return f"{n} {draw(300, 1500)} {draw(1, 10**9)}\n"


def primes(draw: Draw, large: bool) -> str:
    return f"{draw(14_000, 19_000) if large else draw(2, 300)}\n"


def stairs(draw: Draw, large: bool) -> str:
    n = draw(28, 29) if large else draw(1, 20)
    broken = sorted({draw(1, n) for _ in range(draw(0, 2))})
    return f"{n} {len(broken)}\n{' '.join(map(str, broken))}\n"


def packed_text(draw: Draw, large: bool) -> str:
    lines = []
    for _ in range(40 if large else draw(1, 5)):
        word = "".join(chr(draw(ord("a"), ord("z"))) for _ in range(draw(2, 8)))
        lines.append(f"{word} {draw(150, 250) if large else draw(1, 20)}\n")
    return f"{len(lines)}\n{''.join(lines)}"


def classes_of_sums(draw: Draw, large: bool) -> str:
    return f"{draw(12_000, 16_000) if large else draw(1, 60)} {draw(1, 10**9)}\n"


def marks(draw: Draw, large: bool) -> str:
    n, questions = (draw(9000, 12_000), 7000) if large else (draw(1, 100), draw(1, 50))
    return f"{n} {questions} {draw(1, 10**9)}\n"


def votes(draw: Draw, large: bool) -> str:
    if large:
        return f"{draw(100_000, 140_000)} {draw(1000, 3000)} {draw(1, 10**9)}\n"
    return f"{draw(1, 100)} {draw(1, 50)} {draw(1, 10**9)}\n"


def polynomial(draw: Draw, large: bool) -> str:
    degree, points = (draw(30, 40), draw(20_000, 25_000)) if large else (draw(0, 8), draw(1, 50))
    coefficients = " ".join(f"{draw(-500, 500) / 100:.2f}" for _ in range(degree + 1))
    return f"{degree} {points}\n{coefficients}\n"


def matrices(draw: Draw, large: bool) -> str:
    return f"{draw(230, 260) if large else draw(1, 12)} {draw(1, 10**9)}\n"


def rectangles(draw: Draw, large: bool) -> str:
    n, questions = (draw(260, 320), draw(3000, 4000)) if large else (draw(1, 20), draw(1, 50))
    return f"{n} {questions} {draw(1, 10**9)}\n"


def powers(draw: Draw, large: bool) -> str:
    lines = []
    modulus = 1_000_000_007 if draw(0, 2) == 0 else 50_000
    for _ in range(150 if large else draw(1, 8)):
        exponent = draw(20_000, 40_000) if large else draw(0, 50)
        lines.append(f"{draw(0, 1_000_000)} {exponent} {draw(1, modulus)}\n")
    return f"{len(lines)}\n{''.join(lines)}"


def windows(draw: Draw, large: bool) -> str:
    if large:
        return f"{draw(40_000, 50_000)} {draw(400, 500)} {draw(1, 10**9)}\n"
    n = draw(1, 60)
    return f"{n} {draw(1, n)} {draw(1, 10**9)}\n"


def roads(draw: Draw, large: bool) -> str:
    """In the large ones the roads run on from town to town, which makes long chains."""
    if not large:
        n = draw(1, 30)
        ends = [(draw(0, n - 1), draw(0, n - 1)) for _ in range(draw(1, 40))]
    else:
        n = draw(3000, 3400)
        ends = [(0, town) for town in range(1, n - draw(1, 40))]
    lines = [f"{a} {b}\n" for a, b in ends]
    return f"{n} {len(lines)}\n{''.join(lines)}"


def pattern_and_text(draw: Draw, large: bool) -> str:
    copies = draw(40_000, 50_000) if large else draw(1, 30)
    period = "ab" if draw(0, 1) else "aab"
    repeats = draw(150, 200) if large else draw(1, 3)
    return f"{period * repeats} {period * 4}{'c' if draw(0, 2) == 0 else ''} {copies}\n"


PROBLEMS = {
    "m0001": pairs_with_a_sum,
    "m0002": primes,
    "m0003": stairs,
    "m0004": packed_text,
    "m0005": classes_of_sums,
    "m0006": marks,
    "m0007": votes,
    "m0008": polynomial,
    "m0009": matrices,
    "m0010": rectangles,
    "m0011": powers,
    "m0012": windows,
    "m0013": roads,
    "m0014": pattern_and_text,
}


def inputs() -> Iterator[tuple[str, int, str]]:
    """The problem, the number and the text of each."""
    for problem, make in PROBLEMS.items():
        draw = random.Random(f"{SEED} {problem}").randint
        for number in TESTS:
            yield problem, number, make(draw, number in LARGE)


def problems() -> Iterator[dict[str, object]]:
    """The lines of test.jsonl."""
    for problem in PROBLEMS:
        slow, fast = HERE / "slow" / f"{problem}.cpp", HERE / "solutions" / problem / "fast.cpp"
        yield {**pair(problem, slow, fast), "tests": list(TESTS)}


def pairs() -> Iterator[dict[str, object]]:
    """The lines of train.jsonl."""
    for folder in sorted((HERE / "pairs").iterdir()):
        yield pair(folder.name, folder / "slow.cpp", folder / "fast.cpp")


def pair(problem: str, slow: Path, fast: Path) -> dict[str, object]:
    number = problem[1:]
    return {
        "problem_id": problem,
        "src_id": f"s{number}",
        "tgt_id": f"f{number}",
        "src_code": slow.read_text(encoding="utf-8"),
        "tgt_code": fast.read_text(encoding="utf-8"),
    }


def write_lines(path: Path, records: Iterator[dict[str, object]]) -> None:
    write(path, "".join(f"{json.dumps(record)}\n" for record in records))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def write_outputs(tests: Path) -> None:
    """Outputs of the slow programs."""
    compiler = shutil.which("g++")
    if compiler is None:
        sys.exit("g++ is not installed; it builds the programs whose outputs are expected")
    with tempfile.TemporaryDirectory() as build:
        for problem in PROBLEMS:
            program = Path(build, problem)
            source = HERE / "slow" / f"{problem}.cpp"
            subprocess.run([compiler, "-O3", "-std=c++17", source, "-o", program], check=True)
            for number in TESTS:
                given = (tests / problem / f"input.{number}.txt").read_bytes()
                run = subprocess.run([program], input=given, capture_output=True, check=True)
                (tests / problem / f"output.{number}.txt").write_bytes(run.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=HERE)
    parser.add_argument("--outputs", action="store_true")
    options = parser.parse_args()
    write_lines(options.folder / "test.jsonl", problems())
    write_lines(options.folder / "train.jsonl", pairs())
    for problem, number, text in inputs():
        write(options.folder / "tests" / problem / f"input.{number}.txt", text)
    if options.outputs:
        write_outputs(options.folder / "tests")


if __name__ == "__main__":
    main()
