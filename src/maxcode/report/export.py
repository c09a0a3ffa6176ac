"""The tables of an export, a dataclass each; docs/manual/export.md says what each column means."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from math import isfinite
from pathlib import Path
from typing import Any, get_args, get_type_hints

from maxcode.errors import InputError
from maxcode.evaluation import Measurement
from maxcode.files import import_arrow, table_file
from maxcode.journal.events import Answered, Compared, RunStarted
from maxcode.journal.journal import Recorded, RunLog
from maxcode.journal.state import RunState
from maxcode.search.result import Result
from maxcode.tree import ROOT, Step


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
        seed=event.options.seed,
        gamma=event.options.gamma,
        in_flight=event.options.in_flight,
        version=event.version,
        recipe=json.dumps(event.options.recipe, ensure_ascii=False)
        if event.options.recipe
        else None,
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


FORMATS = ("jsonl", "parquet", "csv")
"""What the tables may be written as."""

_LARGEST = 2**63 - 1


def export(
    logs: Iterable[RunLog],
    out: str | Path,
    to: str = "jsonl",
    *,
    texts: bool = False,
    force: bool = False,
) -> dict[str, int]:
    """Write runs as the tables of docs/manual/export.md; gives the number of rows of each.

    The folder ``out`` is made if need be and gets a file for each table, in the format ``to``. All
    of them appear when all runs were read, or none does. One run at a time is in memory. With
    ``texts`` the columns of prompts, answers and programs are filled.

    Raises :class:`InputError` for an unknown format, where files of an earlier export are in the
    way and ``force`` is not given, and where the folder cannot be written;
    :class:`~maxcode.errors.ToolError` where Parquet is asked for and pyarrow is missing;
    :class:`~maxcode.errors.JournalError` for a run that cannot be read.
    """
    places = {table: Path(out) / f"{table}.{to}" for table in TABLES}
    check_export(out, to, force=force)
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out, prefix=".export.") as spare:
            made = {table: Path(spare) / place.name for table, place in places.items()}
            counts = _write(logs, made, texts=texts)
            for table, place in places.items():
                made[table].replace(place)
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from error
    return counts


def check_export(out: str | Path, to: str, *, force: bool) -> None:
    """Raise what :func:`export` does, as far as it can be told before any run is read."""
    if to not in FORMATS:
        raise InputError(f"unknown format {to!r}; known: {', '.join(FORMATS)}")
    if to == "parquet":
        import_arrow()
    if Path(out).exists() and not Path(out).is_dir():
        raise InputError(f"{out} is a file; name a folder")
    there = [name for table in TABLES if Path(out, name := f"{table}.{to}").exists()]
    if there and not force:
        raise InputError(f"{out} holds {there[0]} already; replace it with --force")


def _write(logs: Iterable[RunLog], paths: Mapping[str, Path], *, texts: bool) -> dict[str, int]:
    counts = Counter(dict.fromkeys(paths, 0))
    with ExitStack() as stack:
        kinds = {row: columns(row) for row in TABLES.values()}
        names = {row: table for table, row in TABLES.items()}
        files = {
            row: stack.enter_context(table_file(paths[names[row]], kinds[row])) for row in kinds
        }
        for log in logs:
            for row in rows(log, texts=texts):
                kind = type(row)
                files[kind]({name: _cell(row, name, kinds[kind][name]) for name in kinds[kind]})
                counts[names[kind]] += 1
    return dict(counts)


def _cell(row: Any, name: str, kind: type) -> Any:
    """A value that means the same in every format.

    An empty text is null, as CSV cannot tell the two apart, and so is a number that is not finite,
    which JSON does not have, or does not fit into 64 bits, which Parquet has. What models write may
    hold half a surrogate pair, which UTF-8 does not: it becomes U+FFFD.
    """
    value = getattr(row, name)
    if value is None or value == "" or (kind is float and not isfinite(value)):
        return None
    if kind is str and not value.isascii():
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if kind is int and abs(value) > _LARGEST:
        return None
    return kind(value)
