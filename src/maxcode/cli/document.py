"""The JSON objects that commands print; docs/cli.md describes them key by key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import typer
from pydantic import JsonValue

from maxcode import processes
from maxcode.evaluation import Baseline, Interval
from maxcode.result import Result
from maxcode.state import RunState
from maxcode.tree import Step

Document = dict[str, JsonValue]


def print_document(document: Mapping[str, JsonValue]) -> None:
    """Print it on standard output."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))


def standing(state: RunState) -> str:
    """How a run stands: done, interrupted or failed if it said so; else running, or killed."""
    if state.stopped:
        return state.stopped.status
    lives = state.session is not None and processes.alive(state.session.process)
    return "running" if lives else "killed"


def result_document(result: Result, status: str, program: Path | None) -> Document:
    """The outcome of a run: what ``optimize --json`` and ``resume --json`` print."""
    best = result.speedup if result.improved else Interval(1.0, 1.0, 1.0)
    return {
        "run_id": result.run_id,
        "status": status,
        "baseline_seconds": _seconds(result.baseline),
        "best": {
            "speedup": best.value,
            "low": best.low,
            "high": best.high,
            "confirmed": result.improved and result.confirmed,
            "program_path": None if program is None else str(program),
        },
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


def _seconds(baseline: Baseline) -> float | None:
    """On the reward's meter, or processor time if that does not measure time."""
    return next((one.median for one in baseline.measurements if one.unit == "s"), None)


def step_document(step: Step, confirmed: Interval | None) -> Document:
    """A step without its program: what it is and how it was judged."""
    evaluation = step.evaluation
    return {
        "id": step.id,
        "parent": step.parent,
        "status": evaluation.status.value,
        "estimate": step.value.expected if step.value else None,
        "score": _interval(evaluation.speedup),
        "confirmed": _interval(confirmed),
        "summary": step.summary,
        "tags": list(step.tags),
        "duplicate_of": step.duplicate_of,
        "digest": step.program.digest,
    }


def step_in_full(step: Step, confirmed: Interval | None, diffs: Mapping[str, str]) -> Document:
    """A step with its program, its samples, and all that was said of it."""
    evaluation, critique = step.evaluation, step.critique
    samples = {"candidate": evaluation.measurements, "reference": evaluation.reference}
    return {
        **step_document(step, confirmed),
        "feedback": evaluation.feedback,
        "details": evaluation.details,
        "against": evaluation.against or "baseline",
        "critique": critique.text if critique else None,
        "profile": step.profile.text if step.profile else None,
        "measurements": {
            side: [
                {"meter": m.meter, "unit": m.unit, "samples": list(m.samples)} for m in measurements
            ]
            for side, measurements in samples.items()
        },
        "diffs": dict(diffs),
        "program": {"entry": step.program.entry, "files": dict(step.program.files)},
    }


def _interval(ratio: Interval | None) -> JsonValue:
    if ratio is None:
        return None
    return {"speedup": ratio.value, "low": ratio.low, "high": ratio.high, "level": ratio.level}
