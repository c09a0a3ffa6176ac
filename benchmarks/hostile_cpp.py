"""Hostile C++ programs and their honest twins, judged as candidates are: what was caught, what was
not, and what stayed behind.

The programs are those of the tests, in tests/executors/program/hostile. An escape is an attack that
succeeded, a hang a verdict that took longer than a minute, a false alarm an honest twin that
failed.

Usage: python benchmarks/hostile_cpp.py
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from common import ROOT, save

sys.path.insert(0, str(ROOT))

from tests.executors.program import _hostile as suite

HANG = 60.0


def main() -> None:
    cases = suite.load()
    began = time.monotonic()
    outcome = suite.judge(cases)
    seconds = time.monotonic() - began
    verdicts = outcome.verdicts
    escapes = [case.name for case in cases if case.escaped(verdicts[case.hostile])]
    wrong = [
        case.name
        for case in cases
        if case.name not in escapes and verdicts[case.hostile].status not in case.allowed
    ]
    figures = {
        "programs": len(cases),
        "caught": len(cases) - len(escapes) - len(wrong),
        "escapes": escapes,
        "wrong_verdicts": wrong,
        "hangs": sum(verdict.seconds > HANG for verdict in verdicts.values()),
        "survivors": outcome.survivors,
        "files_left_outside": list(map(str, outcome.traces)),
        "twins": len(cases),
        "false_alarms": [case.name for case in cases if not verdicts[case.honest].ok],
        "verdicts": dict(Counter(verdicts[case.hostile].status.value for case in cases)),
        "seconds": round(seconds, 1),
    }
    for name, figure in figures.items():
        print(f"{name:20} {figure}")
    save("hostile_cpp", figures)


if __name__ == "__main__":
    main()
