"""Confirmations over layouts: is code that only lies elsewhere promoted, are small gains covered?

Two parts, on a program whose time goes on three small loops:

same     candidates are the program with its functions in another order and gaps between them. The
         rule is the search's: promoted if the confirmation's interval lies above 1.
planted  candidates do 1 to 5 % fewer steps; the confirmation's interval at 95 % holds the true
         ratio, or does not. Steps are what a run without any takes less than all.

Usage: python benchmarks/layouts_cpp.py [--trials 200] [--seconds 3600], both for each part
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import monotonic
from typing import Any

from common import options, save

from maxcode import ProgramExecutor
from maxcode.evaluation import Comparison
from maxcode.measure.rounds import CONFIRM
from maxcode.program import Program
from maxcode.tasks import ProgramTask
from maxcode.tasks.program import Judging, TestCase

STEPS = 3_000_000  # of each of three loops: about 30 ms
FUNCTIONS = (
    "long collatz(long n) { long s = 0; for (long i = 0; i < n; ++i)"
    " { long x = i & 1023; s += x & 1 ? 3 * x + 1 : x >> 1; } return s; }",
    "long hash(long n) { unsigned long h = 1469598103934665603ul; for (long i = 0; i < n; ++i)"
    " { h ^= i & 255; h *= 1099511628211ul; if (h & 64) h ^= h >> 7; } return h & 0xffff; }",
    "long table(long n) { static int t[512]; long s = 0; for (long i = 0; i < n; ++i)"
    " { int& x = t[(i * 7) & 511]; x += i & 3; if (x & 4) s += x; } return s; }",
)
LEVEL = 0.95
GAINS = (0.01, 0.02, 0.03, 0.05)


def program(steps: int = STEPS, layout: Random | None = None, remark: str = "") -> Program:
    """The program, with functions in the order of ``layout`` and gaps between them."""
    texts = [f"__attribute__((noinline)) {one}" for one in FUNCTIONS]
    if layout:
        texts = layout.sample(texts, len(texts))
        texts = [f'asm(".text\\n.skip {layout.randrange(512)}");\n{one}' for one in texts]
    text = "\n".join(texts)
    # The volatile count keeps the answer the same however many steps are made.
    return Program.of(
        f"// {remark}\n#include <cstdio>\n{text}\n"
        'int main() { long n = 0; if (std::scanf("%ld", &n) != 1) return 1;\n'
        f"volatile long steps = {steps}; volatile long sink = collatz(steps) + hash(steps)"
        ' + table(steps);\n(void)sink; std::printf("%ld\\n", 2 * n); }\n'
    )


def task() -> ProgramTask:
    tests = (TestCase("1", b"12345\n", b"24690\n"),)
    return ProgramTask("loops", "", program(), tests=tests, judging=Judging(flags=("-O2",)))


def row(compared: Comparison) -> dict[str, Any]:
    """Raw figures of a comparison."""
    ratio, drawn = compared.ratio, getattr(compared, "drawn", None)
    return {
        "ratio": [ratio.value, ratio.low, ratio.high, ratio.level] if ratio else None,
        "problem": compared.problem,
        "seconds": round(compared.seconds, 2),
        "rounds": len(compared.first[0].samples) if compared.first else 0,
        "layouts": drawn.layouts if drawn else 0,
        "spread": drawn.spread if drawn else None,
        "inputs": drawn.inputs if drawn else 0,
        "note": drawn.note if drawn else "",
    }


def same(trials: int, until: float) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    with ProgramExecutor() as executor:
        asked = task()
        executor.prepare(asked)
        while len(rows) < trials and monotonic() < until:
            candidate = program(layout=Random(len(rows)), remark=f"trial {len(rows)}")
            rows.append(row(executor.compare(asked, candidate, asked.baseline)))
            print("same", rows[-1], flush=True)
    promoted = sum(bool(one["ratio"] and one["ratio"][1] > 1) for one in rows)
    return {"trials": len(rows), "promoted": promoted, "rows": rows}


def planted(trials: int, until: float) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    plan = replace(CONFIRM, level=LEVEL, curtail=None)
    with ProgramExecutor(confirm=plan) as executor:
        asked = task()
        baseline = executor.prepare(asked)
        empty = executor.evaluate(asked, program(1))
        assert empty.ok
        floor = empty.measurements[0].median / baseline.value
        while len(rows) < trials and monotonic() < until:
            gain = GAINS[len(rows) % len(GAINS)]
            steps = round(STEPS / (1 + gain))
            truth = 1 / (floor + (1 - floor) * steps / STEPS)
            candidate = program(steps, Random(len(rows)), f"trial {len(rows)}")
            found = executor.compare(asked, candidate, asked.baseline)
            covered = found.ratio is not None and found.ratio.low <= truth <= found.ratio.high
            rows.append({"gain": gain, "truth": truth, "covered": covered, **row(found)})
            print("planted", rows[-1], flush=True)
    held = sum(bool(one["covered"]) for one in rows)
    return {"trials": len(rows), "covered": held, "floor": floor, "rows": rows}


def main() -> None:
    given = options(__doc__, trials=200, seconds=3600.0)
    parts = (same, planted)
    save("layouts_cpp", {p.__name__: p(given.trials, monotonic() + given.seconds) for p in parts})


if __name__ == "__main__":
    main()
