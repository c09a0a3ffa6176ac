"""From the events of a run to the rows of the tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from maxcode.evaluation import Measurement
from maxcode.events import Answered, Compared, RunStarted
from maxcode.exporting.rows import CallRow, ComparisonRow, Row, RunRow, StepRow, TimingRow
from maxcode.journal import Recorded, RunLog
from maxcode.result import Result
from maxcode.state import RunState
from maxcode.tree import ROOT, Step


def rows(log: RunLog, *, texts: bool = False) -> Iterator[Row]:
    """The rows of a run, of all tables; with ``texts`` prompts, answers and programs, too.

    Calls and comparisons come as they are read, so that their texts are not all in memory; the
    rest, which is only known at the end, after them. A run that goes on is read as far as it is.
    """
    reader = RunReader(log, texts=texts)
    for recorded in log.events():
        yield from reader.hear(recorded)
    yield reader.run()
    for step in reader.steps():
        yield step
        yield from reader.timings(step.step)


class RunReader:
    """Makes rows of a run's events as they are heard, in their order.

    With ``texts`` prompts, answers and programs are in them, too.
    """

    def __init__(self, log: RunLog, *, texts: bool = False) -> None:
        self.state = RunState(log)
        self._texts = texts
        self._calls = 0
        self._comparisons = 0
        self._started: float | None = None
        self._committed: list[float] = []

    def hear(self, recorded: Recorded) -> Iterator[CallRow | ComparisonRow | TimingRow]:
        """The rows that an event is told by at once: of a call, or a comparison."""
        state, log = self.state, self.state.log
        state.apply(recorded)
        self._started = recorded.at if self._started is None else self._started
        if state.has_tree:
            self._committed += [recorded.at] * (len(state.tree) - len(self._committed))
        match recorded.event:
            case Answered() as event:
                yield _call(log, self._calls, recorded.at, event, texts=self._texts)
                self._calls += 1
            case Compared() as event:
                yield from _comparison(log.run_id, self._comparisons, recorded.at, event)
                self._comparisons += 1

    def run(self) -> RunRow:
        """The run as far as it was heard."""
        return _run(self.state, self._started)

    def steps(self) -> Iterator[StepRow]:
        """Its steps so far; none before its baseline was measured."""
        if not self.state.has_tree:
            return
        result, evaluations = Result.of(self.state), 0
        on_path = {step.id for step in result.tree.path(result.best.id).steps}
        for step in result.tree:
            evaluations += step.cost.evaluations
            number = evaluations if step.cost.evaluations else None
            at = self._committed[step.id]
            yield _step(result, step, at, number, on_path, texts=self._texts)

    def timings(self, step_id: int) -> Iterator[TimingRow]:
        """The samples of a step, and of what it was measured against, when it was judged."""
        step, run = self.state.tree[step_id], self.state.log.run_id
        if step.duplicate_of is None:
            yield from _samples(run, step_id, "candidate", step.evaluation.measurements)
            yield from _samples(run, step_id, "reference", step.evaluation.reference)


def _call(log: RunLog, number: int, at: float, event: Answered, *, texts: bool) -> CallRow:
    call = event.call
    return CallRow(
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


def _comparison(
    run: str, number: int, at: float, event: Compared
) -> Iterator[ComparisonRow | TimingRow]:
    comparison, ratio = event.comparison, event.comparison.ratio
    yield ComparisonRow(
        run=run,
        comparison=number,
        compared=at,
        step=event.step,
        against=event.against,
        ratio=ratio.value if ratio else None,
        low=ratio.low if ratio else None,
        high=ratio.high if ratio else None,
        level=ratio.level if ratio else None,
        promoted=event.promoted,
        problem=comparison.problem,
        seconds=comparison.seconds,
    )
    yield from _samples(run, event.step, "candidate", comparison.first, number)
    yield from _samples(run, event.step, "reference", comparison.second, number)


def _samples(
    run: str,
    step: int,
    side: str,
    measurements: tuple[Measurement, ...],
    comparison: int | None = None,
) -> Iterator[TimingRow]:
    for one in measurements:
        for number, value in enumerate(one.samples):
            yield TimingRow(run, step, comparison, side, one.meter, one.unit, number, value)


def _step(
    result: Result,
    step: Step,
    committed: float,
    evaluation: int | None,
    on_path: set[int],
    *,
    texts: bool,
) -> StepRow:
    score, confirmed = step.evaluation.speedup, result.tree.confirmed(step.id)
    value, critique = step.value, step.critique
    return StepRow(
        run=result.run_id,
        step=step.id,
        parent=step.parent,
        expansion=None if step.id == ROOT else step.expansion,
        committed=committed,
        evaluation=evaluation,
        status=step.evaluation.status.value,
        reward=step.reward,
        speedup=score.value if score else None,
        low=score.low if score else None,
        high=score.high if score else None,
        confirmed=confirmed.value if confirmed else None,
        confirmed_low=confirmed.low if confirmed else None,
        confirmed_high=confirmed.high if confirmed else None,
        best=step.id == result.best.id,
        on_path=step.id in on_path,
        duplicate_of=step.duplicate_of,
        estimate=value.expected if value else None,
        estimate_bins=json.dumps(value.distribution) if value and value.distribution else None,
        tokens=step.cost.tokens,
        unpriced_tokens=step.cost.unpriced,
        dollars=step.cost.dollars,
        judged_seconds=step.evaluation.seconds,
        against=step.evaluation.against,
        digest=step.program.digest,
        summary=step.summary,
        tags=json.dumps(step.tags, ensure_ascii=False) if step.tags else None,
        feedback=step.evaluation.feedback,
        critique=critique.text if critique else None,
        bottleneck=critique.bottleneck if critique else None,
        code=step.program.files[step.program.entry] if texts else None,
    )


def _run(state: RunState, started: float | None) -> RunRow:
    spent = state.spent
    row = RunRow(
        run=state.log.run_id,
        status=state.stopped.status if state.stopped else "running",
        reason=state.stopped.reason if state.stopped else None,
        started=started,
        budget=str(state.budget),
        candidates=len(state.tree) - 1 if state.has_tree else 0,
        evaluations=spent.evaluations,
        tokens=spent.tokens,
        unpriced_tokens=spent.unpriced,
        dollars=spent.dollars,
        seconds=spent.seconds,
    )
    row = _as_begun(row, state.started) if state.started else row
    return _as_found(row, Result.of(state)) if state.has_tree else row


def _as_begun(row: RunRow, event: RunStarted) -> RunRow:
    """With what was asked for."""
    return replace(
        row,
        task=event.task,
        task_digest=event.task_digest,
        language=event.language,
        policy=event.plugins.get("policy"),
        generator=event.plugins.get("generator"),
        critic=event.plugins.get("critic"),
        reward_to_go=event.plugins.get("reward_to_go"),
        executor=event.plugins.get("executor"),
        observe=str(event.observe),
        seed=event.seed,
        gamma=event.gamma,
        in_flight=event.in_flight,
        version=event.version,
        recipe=json.dumps(event.recipe, ensure_ascii=False) if event.recipe else None,
    )


def _as_found(row: RunRow, result: Result) -> RunRow:
    """With what was measured and found."""
    baseline, speedup = result.baseline, result.speedup
    return replace(
        row,
        meter=baseline.measurements[0].meter,
        unit=baseline.measurements[0].unit,
        baseline=baseline.value,
        noise=baseline.noise,
        machine=baseline.machine,
        best=result.best.id,
        speedup=speedup.value,
        low=speedup.low,
        high=speedup.high,
        confirmed=result.confirmed,
        improved=result.improved,
    )
