"""A run's events as rows of tables; docs/manual/export.md describes the columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from maxcode.evaluation import Interval
from maxcode.journal.events import Answered, Committed, RunStarted
from maxcode.journal.journal import Recorded, RunLog
from maxcode.journal.state import RunState
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


def rows(log: RunLog, *, texts: bool = False) -> Iterator[Row]:
    """The rows of a run, of all tables; with ``texts`` prompts, answers and programs, too.

    Calls come as they are read, so their texts are not all in memory; other rows, known only at the
    end, after them. A running run is read as far as it is.
    """
    reader = RunReader(log, texts=texts)
    for recorded in log.events():
        if call := reader.add(recorded):
            yield call
    yield reader.run()
    yield from reader.steps()


class RunReader:
    """Makes rows of a run's events, read in their order.

    With ``texts`` prompts, answers and programs are in them, too.
    """

    def __init__(self, log: RunLog, *, texts: bool = False) -> None:
        self.state = RunState(log)
        self._texts = texts
        self._calls = 0
        self.started: float | None = None  # in epoch seconds
        self._committed: list[float] = []
        self._call_of: dict[tuple[str, int], int] = {}  # by request and sample
        self._made_by: dict[int, int | None] = {}  # the call that wrote a step's answer

    def add(self, recorded: Recorded) -> CallRow | None:
        """Fold an event; gives the row of a call."""
        state = self.state
        opened = None
        if isinstance(recorded.event, Committed):
            opened = state.work.expansions.get(recorded.event.number)
        steps = state.apply(recorded)
        if opened:
            for step, candidate in zip(steps, opened.candidates, strict=True):
                call = candidate.call
                key = (call.request, call.sample) if call else ("", 0)
                self._made_by[step.id] = self._call_of.get(key)
        self.started = recorded.at if self.started is None else self.started
        if state.has_tree:
            self._committed += [recorded.at] * (len(state.tree) - len(self._committed))
        event = recorded.event
        if not isinstance(event, Answered):
            return None
        row = self._call(recorded.at, event)
        self._call_of.setdefault((event.call.request, event.call.sample), self._calls)
        self._calls += 1
        return row

    def run(self) -> RunRow:
        """The run as far as it was read."""
        state, spent = self.state, self.state.spent
        row = RunRow(
            run=state.log.run_id,
            status=state.stopped.status if state.stopped else "running",
            reason=state.stopped.reason if state.stopped else None,
            started=self.started,
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

    def steps(self) -> list[StepRow]:
        """Its steps so far; none before its baseline was measured."""
        if not self.state.has_tree:
            return []
        result, evaluations, found = Result.of(self.state), 0, []
        path = {step.id for step in result.tree.path(result.best.id).steps}
        for step in result.tree:
            evaluations += step.cost.evaluations
            number = evaluations if step.cost.evaluations else None
            found.append(self._step(result, step, number, on_path=step.id in path))
        return found

    def _call(self, at: float, event: Answered) -> CallRow:
        call, log = event.call, self.state.log
        return CallRow(
            run=log.run_id,
            call=self._calls,
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
            prompt=log.text(event.prompt) if self._texts else None,
            answer=log.text(event.text) if self._texts else None,
        )

    def _step(
        self, result: Result, step: Step, evaluation: int | None, *, on_path: bool
    ) -> StepRow:
        judged, value, critique = step.evaluation, step.value, step.critique
        speedup, low, high = _bounds(judged.speedup)
        confirmed, confirmed_low, confirmed_high = _bounds(result.tree.confirmed(step.id))
        return StepRow(
            run=result.run_id,
            step=step.id,
            parent=step.parent,
            expansion=None if step.id == ROOT else step.expansion,
            call=self._made_by.get(step.id),
            committed=self._committed[step.id],
            evaluation=evaluation,
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
            code=step.program.files[step.program.entry] if self._texts else None,
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
