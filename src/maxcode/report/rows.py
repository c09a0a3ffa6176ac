"""A run's events as rows of tables; docs/manual/export.md describes the columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from maxcode.evaluation import Interval
from maxcode.journal.events import RunStarted
from maxcode.report.history import History
from maxcode.search.result import Result
from maxcode.tree import ROOT, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run; unknown values are None."""

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
    candidates: int = 0
    evaluations: int = 0
    tokens: int = 0
    unpriced_tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    version: str | None = None
    recipe: str | None = None


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step: the baseline, or a candidate."""

    run: str
    step: int
    parent: int | None
    expansion: int | None
    call: int | None
    committed: float
    evaluation: int | None
    status: str
    reward: float
    speedup: float | None
    low: float | None
    high: float | None
    compared: float | None
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


Row = RunRow | StepRow | CallRow


def rows(history: History, *, texts: bool = False) -> Iterator[Row]:
    """The rows of a run, of all tables; with ``texts`` prompts, answers and programs, too."""
    yield run_row(history)
    yield from step_rows(history, texts=texts)
    yield from call_rows(history, texts=texts)


def run_row(history: History) -> RunRow:
    """The run as far as it was read."""
    state, spent = history.state, history.state.spent
    row = RunRow(
        run=state.log.run_id,
        status=state.stopped.status if state.stopped else "running",
        reason=state.stopped.reason if state.stopped else None,
        started=history.started,
        budget=str(state.budget),
        candidates=len(state.tree) - 1 if state.has_tree else 0,
        evaluations=spent.evaluations,
        tokens=spent.tokens,
        unpriced_tokens=spent.unpriced,
        dollars=spent.dollars,
        seconds=spent.seconds,
    )
    row = _with_settings(row, state.started) if state.started else row
    return _with_result(row, Result.of(state)) if state.has_tree else row


def step_rows(history: History, *, texts: bool = False) -> list[StepRow]:
    """The steps so far; none before the baseline was measured."""
    if not history.state.has_tree:
        return []
    result, evaluations, found = Result.of(history.state), 0, []
    path = {step.id for step in result.tree.path(result.best.id).steps}
    calls: dict[tuple[str, int], int] = {}
    for number, (_, event) in enumerate(history.calls):
        calls.setdefault((event.call.request, event.call.sample), number)
    for step in result.tree:
        evaluations += step.cost.evaluations
        origin = history.origins.get(step.id)
        made_by = (origin.call.request, origin.call.sample) if origin and origin.call else ("", 0)
        numbers = calls.get(made_by), evaluations if step.cost.evaluations else None
        committed = history.committed[step.id]
        row = _step_row(result, step, numbers, committed, on_path=step.id in path, texts=texts)
        found.append(row)
    return found


def _step_row(
    result: Result,
    step: Step,
    numbers: tuple[int | None, int | None],
    committed: float,
    *,
    on_path: bool,
    texts: bool,
) -> StepRow:
    """A step; ``numbers`` are those of its call and of its evaluation."""
    judged, value, critique = step.evaluation, step.value, step.critique
    speedup, low, high = _bounds(judged.speedup)
    confirmed, confirmed_low, confirmed_high = _bounds(result.tree.confirmed(step.id))
    return StepRow(
        run=result.run_id,
        step=step.id,
        parent=step.parent,
        expansion=None if step.id == ROOT else step.expansion,
        call=numbers[0],
        committed=committed,
        evaluation=numbers[1],
        status=judged.status.value,
        reward=step.reward,
        speedup=speedup,
        low=low,
        high=high,
        compared=step.speedup.value if step.speedup else None,
        confirmed=confirmed,
        confirmed_low=confirmed_low,
        confirmed_high=confirmed_high,
        best=step.id == result.best.id,
        on_path=on_path,
        duplicate_of=step.duplicate_of,
        estimate=value.expected if value else None,
        estimate_bins=json.dumps(value.distribution) if value and value.distribution else None,
        tokens=step.cost.tokens,
        unpriced_tokens=step.cost.unpriced,
        dollars=step.cost.dollars,
        judged_seconds=judged.seconds,
        against=judged.against,
        digest=step.program.digest,
        summary=step.summary,
        tags=json.dumps(step.tags, ensure_ascii=False) if step.tags else None,
        feedback=judged.feedback,
        critique=critique.text if critique else None,
        bottleneck=critique.bottleneck if critique else None,
        code=step.program.files[step.program.entry] if texts else None,
    )


def call_rows(history: History, *, texts: bool = False) -> Iterator[CallRow]:
    """The calls of models; of their texts there is one at a time in memory."""
    log = history.log
    for number, (at, event) in enumerate(history.calls):
        call = event.call
        yield CallRow(
            run=log.run_id,
            call=number,
            answered=at,
            role=event.role,
            expansion=event.number,
            step=event.step,
            model=call.model,
            request=call.request,
            sample=call.sample,
            input_tokens=call.input,
            cached_tokens=call.cached,
            written_tokens=call.written,
            output_tokens=call.output,
            thinking_tokens=call.thinking,
            dollars=call.dollars,
            saved_dollars=call.saved,
            seconds=call.seconds,
            attempts=call.attempts,
            stop=event.stop.value,
            problem=call.problem,
            reused=call.reused,
            prompt=log.text(event.prompt) if texts else None,
            answer=log.text(event.text) if texts else None,
        )


def _bounds(ratio: Interval | None) -> tuple[float | None, float | None, float | None]:
    return (ratio.value, ratio.low, ratio.high) if ratio else (None, None, None)


_ROLES = ("policy", "generator", "critic", "reward_to_go", "executor")


def _with_settings(row: RunRow, event: RunStarted) -> RunRow:
    options = event.options
    plugins: dict[str, Any] = {role: event.plugins.get(role) for role in _ROLES}
    return replace(
        row,
        task=event.task,
        task_digest=event.task_digest,
        language=event.language,
        observe=str(event.observe),
        seed=options.seed,
        gamma=options.gamma,
        in_flight=options.in_flight,
        version=event.version,
        recipe=json.dumps(options.recipe, ensure_ascii=False) if options.recipe else None,
        **plugins,
    )


def _with_result(row: RunRow, result: Result) -> RunRow:
    baseline, speedup = result.baseline, result.speedup
    return replace(
        row,
        meter=baseline.measurements[0].meter,
        unit=baseline.measurements[0].unit,
        baseline=result.samples[0][0].median,
        noise=baseline.noise,
        machine=baseline.machine,
        best=result.best.id,
        speedup=speedup.value,
        low=speedup.low,
        high=speedup.high,
        confirmed=result.confirmed,
        improved=result.improved,
    )
