"""Where a test run's time goes, by folder of tests, before and after a change.

The files ``.xml`` are those that the README's test command writes with ``--junitxml=FILE`` added to
it. Seconds are those of a folder's tests by the clock, summed over workers, fixtures included;
minutes those of the run, which collecting and a worker's waiting for the others at the end are part
of. The files ``.jsonl`` hold the processor seconds of tests, see benchmarks/processor_seconds.py;
of those the modules are listed, as a run may have been of some. Figures that no file is given for
stay as they were.

Usage: python benchmarks/test_run.py [BEFORE.xml] AFTER.xml
       python benchmarks/test_run.py [BEFORE.jsonl] AFTER.jsonl "what else ran on the machine"
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from common import RESULTS, machine, save


def figures(path: Path) -> dict[str, Any]:
    """Of one run."""
    suite = ElementTree.parse(path).getroot().find("testsuite")  # noqa: S314 - pytest wrote it
    assert suite is not None
    seconds: defaultdict[str, float] = defaultdict(float)
    for case in suite.iter("testcase"):
        seconds[_folder(case.attrib["classname"])] += float(case.attrib["time"])
    return {
        "minutes": round(float(suite.attrib["time"]) / 60, 1),
        **{name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")},
        "seconds": {name: round(spent, 1) for name, spent in _largest_first(seconds)},
    }


def _largest_first(seconds: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(seconds.items(), key=lambda item: -item[1])


def _folder(module: str) -> str:
    """``tests/cli`` of ``tests.cli.test_show.TestShow``; ``tests`` itself of what lies in it."""
    names = module.split(".")
    tests = next(number for number, name in enumerate(names) if name.startswith("test_"))
    return "/".join(names[:tests])


def processor_seconds(path: Path) -> dict[str, Any]:
    """By module; of tests that were run several times the last."""
    tests: dict[str, float] = dict(map(json.loads, path.read_text().splitlines()))
    tests.pop("collection", None)
    seconds: defaultdict[str, float] = defaultdict(float)
    for name, used in tests.items():
        seconds[name.partition("::")[0]] += used
    return {
        "tests": len(tests),
        "total": round(sum(seconds.values()), 1),
        "seconds": {name: round(used, 1) for name, used in _largest_first(seconds)},
    }


def main() -> None:
    """Read two runs, and write their figures down."""
    paths = [Path(name) for name in sys.argv[1:] if name.endswith((".xml", ".jsonl"))]
    known = json.loads((RESULTS / "test_run.json").read_text())
    known.pop("taken")
    taken_on = known.pop("machine")
    by_processor = paths[0].suffix == ".jsonl"
    runs = [processor_seconds(path) if by_processor else figures(path) for path in paths]
    for name in {name: None for run in runs for name in run["seconds"]}:
        print(f"{name:36}", *(f"{run['seconds'].get(name, 0):8.1f}" for run in runs))
    named = dict(zip(("before", "after")[-len(runs) :], runs, strict=True))
    if by_processor:
        print(f"{'total':36}", *(f"{run['total']:8.1f}" for run in runs))
        load = machine()["load_at_start"]
        named = {"processor_seconds": {"load": load, "beside": sys.argv[-1], **named}}
    else:
        print(f"{'minutes':36}", *(f"{run['minutes']:8.1f}" for run in runs))
        taken_on = machine()
    save("test_run", {**known, **named}, taken_on)


if __name__ == "__main__":
    main()
