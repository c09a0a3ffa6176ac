"""Output of the command line on a run, shortened, to be compared."""

from __future__ import annotations

import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.golden._command import maxcode

from maxcode import Budget, Journal
from maxcode.testing import toy_search

RESUMED = ("interrupted", "killed", "landscape")
"""The scenarios of runs that were cut off."""

_LONGEST = 60
_DIGEST = re.compile("[0-9a-f]{64}")
_FOLLOWED = 2
"""Steps of a run that are shown in full, beside the last one."""


def seen(store: str, run: str, folder: Path) -> dict[str, Any]:
    """The kinds of its events, what ``show`` prints and what ``export`` writes."""
    with Journal.open(store) as journal:
        events = Counter(recorded.event.kind for recorded in journal.run(run).events())
    return {
        "events": dict(sorted(events.items())),
        **shown(store, run),
        "export": _exported(store, run, folder),
    }


def shown(store: str, run: str) -> dict[str, Any]:
    """Output of ``show`` for a run, and for some of its steps."""
    whole = _printed("show", run, "--json", "--store", store)
    steps = whole.pop("steps")
    followed = sorted({step["id"] for step in (*steps[:_FOLLOWED], *steps[-1:])})
    full = [_printed("show", run, "--step", n, "--json", "--store", store) for n in followed]
    known = set(steps[0])
    more = {
        one["id"]: {
            key: value
            for key, value in one.items()
            if key not in {*known, "measurements", "by_test"}
        }
        for one in full
    }
    return {
        "show": short(whole),
        "steps": [short(list(step.values())) for step in steps],
        "full": {str(number): short(one) for number, one in more.items()},
    }


def resumed(store: str, run: str, scenario: str, folder: Path) -> dict[str, Any]:
    """Go on with a run; gives what is told of it at its end, but for how long it took."""
    if scenario == "landscape":
        own = ("--store", store, "--out", folder / "best.txt", "--json")
        done = maxcode("resume", run, *own, "--trust")  # older recipes have no seal
        assert done.exit_code in {0, 1}, done.stderr  # 1: nothing faster was found
    else:
        with Journal.open(store) as journal:
            search = toy_search(journal=journal.run(run), budget=Budget(evaluations=14))
            result = search.run()
            assert (result.run_id, result.status) == (run, "done")
    told = shown(store, run)
    del told["show"]["wall_seconds"]
    return {"show": told["show"], "steps": told["steps"]}


def _exported(store: str, run: str, folder: Path) -> dict[str, Any]:
    """The tables of an export, rows without the run's id."""
    done = maxcode(
        *("store", "export", run, "--to", "jsonl", "--texts"),
        *("--out", folder / run, "--store", store),
    )
    assert done.exit_code == 0, done.stderr
    tables: dict[str, Any] = {}
    for path in sorted((folder / run).iterdir()):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert {row.pop("run") for row in rows} <= {run}
        tables[path.stem] = [short(list(row.values())) for row in rows]
    return tables


def short(value: Any) -> Any:
    """The value with digests in place of long texts."""
    match value:
        case str() if _DIGEST.fullmatch(value):
            return value[:12]
        case str() if len(value) > _LONGEST:
            digest = sha256(value.encode()).hexdigest()[:12]
            return f"{value[:20]}... {len(value)} characters {digest}"
        case list():
            return [short(one) for one in value]
        case dict():
            return {key: short(one) for key, one in value.items()}
    return value


def _printed(*arguments: object) -> Any:
    done = maxcode(*arguments)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)
