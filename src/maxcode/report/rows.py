"""A run's events as rows of tables; docs/manual/export.md describes the columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from maxcode.evaluation import Interval
from maxcode.report.history import History
from maxcode.search.result import Result
from maxcode.tree import ROOT


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
    started, stopped = state.started, state.stopped
    options = started.options if started else None
    plugins = started.plugins if started else {}
    result = Result.of(state) if state.has_tree else None
    baseline = result.baseline if result else None
    meter = baseline.measurements[0] if baseline else None
    speedup = result.speedup if result else None
    return RunRow(
        run=state.log.run_id,
        task=started.task if started else None,
        task_digest=started.task_digest if started else None,
        language=started.language if started else None,
        status=stopped.status if stopped else "running",
        reason=stopped.reason if stopped else None,
        started=history.started,
        policy=plugins.get("policy"),
        generator=plugins.get("generator"),
        critic=plugins.get("critic"),
        reward_to_go=plugins.get("reward_to_go"),
        executor=plugins.get("executor"),
        observe=str(started.observe) if started else None,
        seed=options.seed if options else None,
        gamma=options.gamma if options else None,
        in_flight=options.in_flight if options else None,
        budget=str(state.budget),
        meter=meter.meter if meter else None,
        unit=meter.unit if meter else None,
        baseline=result.samples[0][0].median if result else None,
        noise=baseline.noise if baseline else None,
        machine=baseline.machine if baseline else None,
        best=result.best.id if result else None,
        speedup=speedup.value if speedup else None,
        low=speedup.low if speedup else None,
        high=speedup.high if speedup else None,
        confirmed=result.confirmed if result else None,
        improved=result.improved if result else None,
        candidates=len(state.tree) - 1 if state.has_tree else 0,
        evaluations=spent.evaluations,
        tokens=spent.tokens,
        unpriced_tokens=spent.unpriced,
        dollars=spent.dollars,
        seconds=spent.seconds,
        version=started.version if started else None,
        recipe=_json(options and options.recipe),
    )


def step_rows(history: History, *, texts: bool = False) -> Iterator[StepRow]:
    """The steps so far; none before the baseline was measured."""
    if not history.state.has_tree:
        return
    result, evaluations = Result.of(history.state), 0
    path = {step.id for step in result.tree.path(result.best.id).steps}
    calls: dict[tuple[str, int], int] = {}
    for number, (_, event) in enumerate(history.calls):
        calls.setdefault((event.call.request, event.call.sample), number)
    for step in result.tree:
        judged, value, critique = step.evaluation, step.value, step.critique
        evaluations += step.cost.evaluations
        origin = history.origins.get(step.id)
        made_by = origin and origin.call
        speedup, low, high = _bounds(judged.speedup)
        confirmed, confirmed_low, confirmed_high = _bounds(result.tree.confirmed(step.id))
        yield StepRow(
            run=result.run_id,
            step=step.id,
            parent=step.parent,
            expansion=None if step.id == ROOT else step.expansion,
            call=calls.get((made_by.request, made_by.sample)) if made_by else None,
            committed=history.committed[step.id],
            evaluation=evaluations if step.cost.evaluations else None,
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
            on_path=step.id in path,
            duplicate_of=step.duplicate_of,
            estimate=value.expected if value else None,
            estimate_bins=_json(value and value.distribution),
            tokens=step.cost.tokens,
            unpriced_tokens=step.cost.unpriced,
            dollars=step.cost.dollars,
            judged_seconds=judged.seconds,
            against=judged.against,
            digest=step.program.digest,
            summary=step.summary,
            tags=_json(step.tags),
            feedback=judged.feedback,
            critique=critique.text if critique else None,
            bottleneck=critique.bottleneck if critique else None,
            code=step.program.code if texts else None,
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


def _json(value: object) -> str | None:
    return json.dumps(value, ensure_ascii=False) if value else None


def settings(row: RunRow) -> dict[str, str | int | float]:
    """Options of the command that began the run, as far as a word holds them."""
    given = json.loads(row.recipe or "{}")
    words = {name: value for name, value in given.items() if isinstance(value, str | int | float)}
    words.pop("seal", None)
    return words
