"""RunDocument: what a report tells of a run as a whole, ready for JSON.

Texts that others wrote are made plain (:mod:`maxcode.report.plain`), but hold any characters of
markup: whoever puts them into a page escapes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from maxcode.exporting.rows import RunRow, StepRow
from maxcode.report.calibration import Calibration
from maxcode.report.command import command, not_repeatable
from maxcode.report.history import History
from maxcode.report.plain import cut, finite, plain
from maxcode.report.spending import Spending
from maxcode.report.timings import Timing, timings_of
from maxcode.result import Result
from maxcode.telling.results import asked, handed_back, how_sure, noise, standing, tried
from maxcode.tree import ROOT

_SUMMARY = 200  # characters in the list of steps


@dataclass(frozen=True, slots=True)
class Found:
    """What the run hands back, by figures and words: absent before its baseline was measured.

    ``before`` and ``now`` are medians on ``meter`` in ``unit``, of the baseline and of the best:
    of the comparison that confirmed it, or else from when each was judged. ``sure`` says in a word
    whether the speedup was confirmed, ``how`` what that means. ``level`` is the chance that the
    interval covers. ``handed_back`` tells which step that is, if the policy handed back another
    than the best.
    """

    improved: bool
    confirmed: bool
    speedup: float
    low: float
    high: float
    level: float
    sure: str
    how: str
    best: int
    meter: str
    unit: str
    before: float
    now: float | None
    baseline: str
    noise: str
    tried: str
    path: tuple[int, ...]
    handed_back: str


@dataclass(frozen=True, slots=True)
class Head:
    """What a run was, what it found and what that cost. ``started`` is in epoch seconds.

    ``status`` is ``done``, ``interrupted``, ``failed``, ``running`` or ``killed``. ``facts`` are
    further names with what is told under them. ``command`` makes the run again; where it is empty,
    ``no_command`` says why.
    """

    run_id: str
    task: str
    task_digest: str
    language: str
    status: str
    reason: str
    started: float | None
    version: str
    plugins: dict[str, str]
    observe: str
    seed: int | None
    budget: str
    machine: tuple[str, ...]
    candidates: int
    evaluations: int
    tokens: int
    unpriced: int
    dollars: float
    seconds: float
    facts: tuple[tuple[str, str], ...]
    command: str
    no_command: str
    found: Found | None


@dataclass(frozen=True, slots=True)
class Points:
    """How the run stood after each evaluation; 0 is the baseline. Columns of equal length.

    ``best`` with ``low`` and ``high`` is the best so far by the comparisons made along the way, not
    by scores: ``score`` is what the search saw of the candidate, None where it was not correct. The
    rest was spent by then.
    """

    evaluations: list[int] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    dollars: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    best: list[float] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    score: list[float | None] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step in the list: what docs/manual/export.md calls so, and its ``depth`` in the tree."""

    id: int
    parent: int | None
    expansion: int | None
    evaluation: int | None
    depth: int
    status: str
    reward: float
    low: float | None
    high: float | None
    confirmed: float | None
    estimate: float | None
    best: bool
    on_path: bool
    duplicate_of: int | None
    tokens: int
    dollars: float
    seconds: float
    summary: str
    tags: str


@dataclass(frozen=True, slots=True)
class RunDocument:
    """What a report tells of a run."""

    head: Head
    points: Points
    steps: tuple[StepLine, ...]
    outcomes: dict[str, int]
    timings: tuple[Timing, ...]
    spending: Spending
    estimates: Calibration | None

    @classmethod
    def of(cls, history: History) -> RunDocument:
        """The document of a run, finished or not."""
        row = history.run()
        result = Result.of(history.state) if history.state.has_tree else None
        estimates = Calibration.of(history) if history.estimated.ranked else None
        facts = estimates.facts if estimates else ()
        return cls(
            head=_head(history, row, result, facts),
            points=_points(history),
            steps=_lines(history.steps()),
            outcomes={status.value: n for status, n in history.state.outcomes.items()},
            timings=timings_of(history, result) if result else (),
            spending=Spending.of(history, row),
            estimates=estimates,
        )


def _head(
    history: History, row: RunRow, result: Result | None, facts: Sequence[tuple[str, str]]
) -> Head:
    started = history.state.started
    models = asked(result) if result else []
    budget = row.budget or ""
    again = plain(command(started, budget)) if started else ""
    return Head(
        run_id=row.run,
        task=cut(row.task or row.run, _SUMMARY),
        task_digest=row.task_digest or "",
        language=plain(row.language or ""),
        status=standing(history.state),
        reason=plain(row.reason or ""),
        started=row.started,
        version=row.version or "",
        plugins={role: plain(name) for role, name in started.plugins.items()} if started else {},
        observe=row.observe or "",
        seed=row.seed,
        budget=budget,
        machine=tuple(plain(row.machine or "").splitlines()),
        candidates=row.candidates,
        evaluations=row.evaluations,
        tokens=row.tokens,
        unpriced=row.unpriced_tokens,
        dollars=row.dollars,
        seconds=row.seconds,
        facts=tuple((plain(name), plain(text)) for name, text in (*models, *facts)),
        command=again,
        no_command="" if again else not_repeatable(started),
        found=_found(result) if result else None,
    )


def _found(result: Result) -> Found:
    speedup, measured = result.speedup, result.measured
    sure, how = how_sure(result)
    meter = result.baseline.measurements[0]
    return Found(
        improved=result.improved,
        confirmed=result.confirmed,
        speedup=speedup.value,
        low=speedup.low,
        high=speedup.high,
        level=speedup.level,
        sure=sure,
        how=how,
        best=result.best.id,
        meter=plain(meter.meter),
        unit=plain(meter.unit),
        before=measured[0].median if measured else meter.median,
        now=measured[1].median if measured else None,
        baseline=plain(result.baseline.note),
        noise="" if result.baseline.noise is None else noise(result.baseline),
        tried=tried(result),
        path=tuple(step.id for step in result.tree.path(result.best.id).steps),
        handed_back=", ".join(text for _, text in handed_back(result)),
    )


def _points(history: History) -> Points:
    points = Points()
    for one in history.points if history.state.has_tree else ():
        points.evaluations.append(one.evaluation)
        points.tokens.append(one.values["spent/tokens"])
        points.dollars.append(one.values["spent/dollars"])
        points.seconds.append(one.values["spent/seconds"])
        points.best.append(one.values["best/speedup"])
        points.low.append(one.values["best/low"])
        points.high.append(one.values["best/high"])
        points.score.append(one.values.get("score") or None)
    return points


def _lines(rows: Sequence[StepRow]) -> tuple[StepLine, ...]:
    depths: list[int] = []
    for row in rows:
        depths.append(0 if row.parent is None else depths[row.parent] + 1)
    return tuple(
        StepLine(
            id=row.step,
            parent=row.parent,
            expansion=row.expansion,
            evaluation=row.evaluation,
            depth=depths[row.step],
            status=row.status,
            reward=row.reward,
            low=row.low,
            high=row.high,
            confirmed=row.confirmed,
            estimate=finite(row.estimate),
            best=row.best,
            on_path=row.on_path,
            duplicate_of=row.duplicate_of,
            tokens=row.tokens,
            dollars=row.dollars,
            seconds=row.judged_seconds,
            summary=cut(row.summary or ("the baseline" if row.step == ROOT else ""), _SUMMARY),
            tags=cut(row.tags or "", _SUMMARY),
        )
        for row in rows
    )
