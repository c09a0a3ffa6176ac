"""Cheating kernels and their honest twins, judged as candidates are: what was caught, by kind.

The programs are those of the tests, in tests/executors/kernel/cheats. An escape is a cheat that got
what it wanted, a false alarm an honest twin that was not found right. Scores are how many times
faster than the reference, in three rounds; a gain is a cheat's score over its twin's (or over the
reference's, if that is more), which stays below 3 for all that were caught. Known limits are apart,
each with whether it was caught nevertheless.

Usage: python benchmarks/cheats_kernels.py [NAME ...]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from common import ROOT, options, save

sys.path.insert(0, str(ROOT))

from tests.executors.kernel import _cheats as suite

from maxcode.sandbox.bubblewrap import BubblewrapSandbox


def row(one: suite.Outcome) -> dict[str, Any]:
    assert one.honest is not None
    found = {
        "name": one.case.name,
        "kind": one.case.kind,
        "status": one.cheat.status.value,
        "caught": one.caught,
        "twin": one.honest.status.value,
        "twin_score": round(one.honest.reward, 2),
    }
    if one.cheat.ok:
        found |= {"score": round(one.cheat.reward, 2), "gain": round(one.gain, 2)}
    return found


def by_kind(outcomes: Sequence[suite.Outcome]) -> dict[str, str]:
    """Number of caught cheats of each kind."""
    of = Counter(one.case.kind for one in outcomes)
    caught = Counter(one.case.kind for one in outcomes if one.caught)
    return {kind: f"{caught[kind]} of {count}" for kind, count in of.items()}


def tell(one: suite.Outcome) -> None:
    assert one.honest is not None
    marks = {
        "known limit": one.case.limit,
        "ESCAPED": one.escaped,
        "WRONG VERDICT": not (one.caught or one.escaped),
        "FALSE ALARM": one.false_alarm,
    }
    print(
        f"{one.case.name:28} {one.cheat.status.value:14} {one.cheat.reward:6.2f}   twin "
        f"{one.honest.status.value:6} {one.honest.reward:6.2f}",
        *(mark for mark, holds in marks.items() if holds),
        flush=True,
    )


def main() -> None:
    given = options(__doc__, "names")
    cases = [case for case in suite.load() if not given.names or case.name in given.names]
    left_out = [case.name for case in suite.load(cuda=True) if case.cuda]
    began = time.monotonic()
    outcomes = list(suite.judge(cases, BubblewrapSandbox(), tell).values())
    limits = [one for one in outcomes if one.case.limit]
    others = [one for one in outcomes if not one.case.limit]
    alarms = [one.case.name for one in outcomes if one.false_alarm]
    figures = {
        "cheats": len(outcomes),
        "caught_of_others": sum(one.caught for one in others),
        "ok_without_gain": sum(one.caught and one.cheat.ok for one in outcomes),
        "known_limits": {one.case.name: one.caught for one in limits},
        "detection_rate": sum(one.caught for one in others) / max(len(others), 1),
        "escapes": [one.case.name for one in others if one.escaped],
        "wrong_verdicts": [one.case.name for one in others if not one.caught and not one.escaped],
        "twins": len(outcomes),
        "false_alarm_rate": len(alarms) / len(outcomes),
        "false_alarms": alarms,
        "need_cuda": left_out,
        "caught_by_kind": by_kind(outcomes),
        "verdicts": dict(Counter(one.cheat.status.value for one in outcomes)),
        "largest_gain": max((one.gain for one in others if one.cheat.ok), default=0.0),
        "seconds": round(time.monotonic() - began, 1),
        "outcomes": [row(one) for one in outcomes],
    }
    for name, figure in figures.items():
        if name != "outcomes":
            print(f"{name:18} {figure}")
    if not given.names:
        save("cheats_kernels", figures)


if __name__ == "__main__":
    main()
