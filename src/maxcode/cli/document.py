"""The JSON objects that commands print; docs/manual/cli.md describes them key by key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import typer
from pydantic import JsonValue

from maxcode.evaluation import Baseline, Interval
from maxcode.result import Result
from maxcode.telling.steps import Document


def print_document(document: Mapping[str, JsonValue]) -> None:
    """Print it on standard output."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))


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
