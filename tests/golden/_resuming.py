"""Runs that were cut off, and how each is gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.golden._command import maxcode
from tests.golden._seen import shown

from maxcode import Budget, Journal
from maxcode.testing import toy_search

RESUMED = ("interrupted", "killed", "landscape")
"""The scenarios of such runs."""


def resumed(store: str, run: str, scenario: str, folder: Path) -> dict[str, Any]:
    """Go on with a run; gives what is told of it at its end, but for how long it took."""
    if scenario == "landscape":
        own = ("--store", store, "--out", folder / "best.txt", "--json")
        trusting = ("--trust",)  # older recipes have no seal
        done = maxcode("resume", run, *own, *trusting)
        assert done.returncode in {0, 1}, done.stderr  # 1: nothing faster was found
    else:
        with Journal.open(store) as journal:
            search = toy_search(journal=journal.run(run), budget=Budget(evaluations=14))
            result = search.run()
            assert (result.run_id, result.status) == (run, "done")
    told = shown(store, run)
    del told["show"]["wall_seconds"]
    return {"show": told["show"], "steps": told["steps"]}
