"""The tables of an export, a dataclass each; docs/manual/export.md says what each column means."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, get_args, get_type_hints


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run; what is not known yet is None."""

    run: str
    task: str | None = None
    task_digest: str | None = None
    language: str | None = None
    status: str
    reason: str | None = None
    started: float | None = None
    policy: str | None = None
    generator: str | None = None
    critic: str | None = None
    reward_to_go: str | None = None
    executor: str | None = None
    observe: str | None = None
    seed: int | None = None
    gamma: float | None = None
    in_flight: int | None = None
    budget: str | None = None
    meter: str | None = None
    unit: str | None = None
    baseline: float | None = None
    noise: float | None = None
    machine: str | None = None
    best: int | None = None
    speedup: float | None = None
    low: float | None = None
    high: float | None = None
    confirmed: bool | None = None
    improved: bool | None = None
    candidates: int
    evaluations: int
    tokens: int
    unpriced_tokens: int
    dollars: float
    seconds: float
    version: str | None = None
    recipe: str | None = None


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step: the baseline, or a candidate."""

    run: str
    step: int
    parent: int | None
    expansion: int | None
    committed: float
    evaluation: int | None
    status: str
    reward: float
    speedup: float | None
    low: float | None
    high: float | None
    confirmed: float | None
    confirmed_low: float | None
    confirmed_high: float | None
    best: bool
    on_path: bool
    duplicate_of: int | None
    estimate: float | None
    estimate_bins: str | None
    tokens: int
    unpriced_tokens: int
    dollars: float
    judged_seconds: float
    against: str | None
    digest: str
    summary: str | None
    tags: str | None
    feedback: str | None
    critique: str | None
    bottleneck: str | None
    code: str | None


@dataclass(frozen=True, slots=True)
class CallRow:
    """A call of a model."""

    run: str
    call: int
    answered: float
    role: str
    expansion: int
    step: int | None
    model: str
    request: str
    sample: int
    input_tokens: int
    cached_tokens: int
    written_tokens: int
    output_tokens: int
    thinking_tokens: int
    dollars: float | None
    saved_dollars: float
    seconds: float
    attempts: int
    stop: str
    problem: str | None
    reused: bool
    prompt: str | None
    answer: str | None


@dataclass(frozen=True, slots=True)
class TimingRow:
    """A sample of a meter."""

    run: str
    step: int
    comparison: int | None
    side: str
    meter: str
    unit: str
    number: int
    value: float


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """A comparison of two steps, with fresh samples."""

    run: str
    comparison: int
    compared: float
    step: int
    against: int
    ratio: float | None
    low: float | None
    high: float | None
    level: float | None
    promoted: bool
    problem: str | None
    seconds: float


Row = RunRow | StepRow | CallRow | TimingRow | ComparisonRow

TABLES: dict[str, type[Row]] = {
    "runs": RunRow,
    "steps": StepRow,
    "calls": CallRow,
    "timings": TimingRow,
    "comparisons": ComparisonRow,
}


def columns(table: type[Row]) -> dict[str, type]:
    """The columns of a table with what they hold: str, int, float or bool. Any may be null."""
    hints = get_type_hints(table)
    return {field.name: _kind(hints[field.name]) for field in fields(table)}


def _kind(hint: Any) -> type:
    """The type, or of ``T | None`` the T."""
    found: type = (*get_args(hint), hint)[0]
    return found
