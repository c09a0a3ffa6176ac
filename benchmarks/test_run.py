"""Where a test run's time goes, by folder of tests, before and after a change.

The files are those that the README's test command writes with `--junitxml=FILE` added to it.
Seconds are those of a folder's tests, summed over workers, fixtures included; minutes those of the
run by the clock, which collecting and a worker's waiting for the other at the end are part of.

Usage: python benchmarks/test_run.py [BEFORE.xml] AFTER.xml
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from common import machine, save


def figures(path: Path) -> dict[str, Any]:
    """Of one run."""
    suite = ElementTree.parse(path).getroot().find("testsuite")  # noqa: S314 - pytest wrote it
    assert suite is not None
    seconds: Counter[str] = Counter()
    for case in suite.iter("testcase"):
        seconds[_folder(case.attrib["classname"])] += float(case.attrib["time"])  # type: ignore[assignment]
    return {
        "minutes": round(float(suite.attrib["time"]) / 60, 1),
        **{name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")},
        "seconds": {name: round(spent, 1) for name, spent in seconds.most_common()},
    }


def _folder(module: str) -> str:
    """``tests/cli`` of ``tests.cli.test_show.TestShow``; ``tests`` itself of what lies in it."""
    names = module.split(".")
    tests = next(number for number, name in enumerate(names) if name.startswith("test_"))
    return "/".join(names[:tests])


def main() -> None:
    """Read two runs, and write their figures down."""
    runs = [figures(Path(name)) for name in sys.argv[1:]]
    for name in {name: None for run in runs for name in run["seconds"]}:
        print(f"{name:36}", *(f"{run['seconds'].get(name, 0):8.1f}" for run in runs))
    print(f"{'minutes':36}", *(f"{run['minutes']:8.1f}" for run in runs))
    names = ("before", "after")[-len(runs) :]
    save("test_run", {"workers": 4, **dict(zip(names, runs, strict=True))}, machine())


if __name__ == "__main__":
    main()
