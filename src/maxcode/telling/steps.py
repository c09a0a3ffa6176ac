"""A step as JSON: how it was judged, and all that was said of it."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from maxcode.evaluation import Interval, Status
from maxcode.tree import ROOT, SearchTree, Step

Document = dict[str, JsonValue]


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


def step_diffs(tree: SearchTree, step: Step) -> dict[str, str]:
    """Diffs against the ``parent`` and, where that is another step, the ``baseline``."""
    if step.parent is None or step.evaluation.status is Status.INVALID:
        return {}
    diffs = {"parent": tree[step.parent].program.diff(step.program)}
    if step.parent != ROOT:
        diffs["baseline"] = tree.root.program.diff(step.program)
    return diffs


def _interval(ratio: Interval | None) -> JsonValue:
    if ratio is None:
        return None
    return {"speedup": ratio.value, "low": ratio.low, "high": ratio.high, "level": ratio.level}
