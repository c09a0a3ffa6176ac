"""The outcome of a run as JSON, for ``optimize``, ``resume`` and ``show``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from maxcode.evaluation import HunkWorth, Interval
from maxcode.journal.state import RunState
from maxcode.report.estimates import estimates_document
from maxcode.report.listing import (
    Document,
    fuzzed_document,
    held_out_document,
    standing,
    step_document,
)
from maxcode.search.result import Result
from maxcode.search.summary import described, ending


def _hunk_document(hunk: HunkWorth) -> Document:
    known = ("path", "header", "lines", "problem")
    bounds = {"worth": "value", "low": "low", "high": "high"}
    return {
        **{name: getattr(hunk, name) for name in known},
        **{name: getattr(hunk.worth, one, None) for name, one in bounds.items()},
    }


def result_document(result: Result, status: str, program: Path | None) -> Document:
    """The outcome of a run as JSON, for ``optimize``, ``resume`` and ``show``."""
    reduced = result.reduced
    best = result.speedup if result.improved else Interval(1.0, 1.0, 1.0)
    before, now = result.samples
    fuzzed, held_out = (result.fuzzed, result.held_out) if result.improved else (None, None)
    return {
        "run_id": result.run_id,
        "status": status,
        "reason": ending(status, result.reason),
        "gaps": list(result.baseline.gaps),
        "baseline_seconds": next((one.median for one in before if one.unit == "s"), None),
        "measured": {
            "meter": before[0].meter,
            "unit": before[0].unit,
            "before": before[0].median,
            "now": now[0].median if result.improved and now else None,
        },
        "best": {
            "speedup": best.value,
            "low": best.low,
            "high": best.high,
            "without_start": result.baseline.without_start(best.value) if result.improved else None,
            "confirmed": result.improved and result.confirmed,
            "program_path": None if program is None else str(program),
            "needs": [*result.needs] if result.improved else [],
            "fuzzed": fuzzed_document(fuzzed),
            "held_out": held_out_document(held_out),
        },
        "reduced": None
        if reduced is None
        else {
            "step": reduced.step,
            "lines_before": reduced.before,
            "lines_after": reduced.after,
            "replaced": bool(reduced.program),
        },
        "hunks": [_hunk_document(hunk) for hunk in result.hunks],
        "evaluations": result.spent.evaluations,
        "by_status": {status.value: count for status, count in result.by_status.items()},
        "cost": {
            "tokens": result.spent.tokens,
            "dollars": result.spent.dollars,
            "unpriced_tokens": result.spent.unpriced,
        },
        "models": {name: asdict(usage) for name, usage in result.usage.items()},
        "wall_seconds": result.spent.seconds,
    }


def run_document(state: RunState, result: Result) -> Document:
    """A whole run as JSON, for ``show``."""
    tree = result.tree
    started = state.started
    return {
        **result_document(result, standing(state), None),
        "task": result.task,
        "baseline": described(result.baseline),
        "meter": result.baseline.measurements[0].meter,
        "noise": result.baseline.noise,
        "seed": started.options.seed if started else 0,
        "plugins": dict(started.plugins) if started else {},
        "estimates": estimates_document(state),
        "path": [step.id for step in tree.path(result.best.id).steps],
        "steps": [step_document(step, tree.confirmed(step.id)) for step in tree],
    }
