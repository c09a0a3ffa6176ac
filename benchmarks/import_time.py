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
    codes = ("pass", "import maxcode", "from maxcode import *")
    rounds = [[seconds(code) for code in codes] for _ in range(ROUNDS)]  # a drift meets all
    python, one, everything = map(statistics.median, zip(*rounds, strict=True))
    figures = {
        "rounds": ROUNDS,
        "python_seconds": round(python, 4),
        "import_seconds": round(one - python, 4),
        "import_everything_seconds": round(everything - python, 4),
    }
    print(figures)
    save("import_time", figures)


if __name__ == "__main__":
    main()
