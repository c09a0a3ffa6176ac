"""Seconds of ``import maxcode``, without the start of Python.

Usage: python benchmarks/import_time.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from common import save

ROUNDS = 21


def seconds(code: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - started


def main() -> None:
    bare, with_import, everything = [], [], []
    for _ in range(ROUNDS):  # in turn, so that a drift of the machine meets all of them
        bare.append(seconds("pass"))
        with_import.append(seconds("import maxcode"))
        everything.append(seconds("from maxcode import *"))
    python = statistics.median(bare)
    figures = {
        "rounds": ROUNDS,
        "python_seconds": round(python, 4),
        "import_seconds": round(statistics.median(with_import) - python, 4),
        "import_everything_seconds": round(statistics.median(everything) - python, 4),
    }
    print(figures)
    save("import_time", figures)


if __name__ == "__main__":
    main()
