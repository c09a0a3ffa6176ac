"""Runs and steps as ``maxcode show`` and the live view list them, and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from pydantic import JsonValue

from maxcode import system
from maxcode.comparison.method import METHOD
from maxcode.comparison.method import RECIPE as COMPARISON
from maxcode.errors import JournalError, MaxcodeError
from maxcode.evaluation import FuzzResult, HeldOut, Interval, Status
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.journal.store import default_store
from maxcode.report.history import History
from maxcode.report.rows import RunRow, run_row
from maxcode.search.summary import ending
from maxcode.tree import ROOT, SearchTree, Step

Document = dict[str, JsonValue]


def standing(state: RunState) -> str:
    """How a run stands: done, interrupted or failed if it said so; else running, or killed."""
    if state.stopped:
        return state.stopped.status
    process = state.session.process if state.session else ""
    lives = system.alive(process) if system.here(process) else state.log.lease().beats
    return "running" if lives else "killed"


def step_document(step: Step, confirmed: Interval | None) -> Document:
    """A step without its program."""
    evaluation = step.evaluation
    return {
        "id": step.id,
        "parent": step.parent,
        "status": evaluation.status.value,
        "estimate": step.value.expected if step.value else None,
        "score": _interval(evaluation.speedup),
        "speedup": _interval(step.speedup),
        "confirmed": _interval(confirmed),
        "summary": step.summary,
        "tags": list(step.tags),
        "duplicate_of": step.duplicate_of,
        "digest": step.program.digest,
    }


def step_in_full(
    step: Step, confirmed: Interval | None, fuzzed: FuzzResult | None, diffs: Mapping[str, str]
) -> Document:
    """A step with its program, samples, feedback, critique, counterexample and diffs."""
    evaluation, critique = step.evaluation, step.critique
    samples = {"candidate": evaluation.measurements, "reference": evaluation.reference}
    return {
        **step_document(step, confirmed),
        "feedback": evaluation.feedback,
        "details": evaluation.details,
        "against": evaluation.against or "baseline",
        "fuzzed": fuzzed_document(fuzzed),
        "critique": critique.text if critique else None,
        "profile": step.profile.text if step.profile else None,
        "measurements": {
            side: [asdict(one) for one in measurements] for side, measurements in samples.items()
        },
        "by_test": [
            {
                "test": one.name,
                "unit": one.unit,
                "candidate": one.first,
                "reference": one.second,
                "ratio": _interval(one.ratio),
            }
            for one in evaluation.by_test
        ],
        "diffs": dict(diffs),
        "program": {"entry": step.program.entry, "files": dict(step.program.files)},
    }


def fuzzed_document(fuzzed: FuzzResult | None) -> JsonValue:
    """How a program compared with the baseline on generated inputs."""
    return {**asdict(fuzzed), "few": fuzzed.few} if fuzzed else None


def held_out_document(held_out: HeldOut | None) -> JsonValue:
    """The speedup on inputs unseen by the search."""
    if held_out is None:
        return None
    known = {name: getattr(held_out, name) for name in ("inputs", "problem", "seconds")}
    return {"ratio": _interval(held_out.ratio), **known}


def step_diffs(tree: SearchTree, step: Step) -> dict[str, str]:
    """Diffs against the ``parent`` and, if it is another step, the ``baseline``."""
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


def address(log: RunLog) -> str:
    """A run's id for a command, with its store unless that is the user's own."""
    own = log.where == str(default_store())
    return log.run_id if own else shlex.join([log.run_id, "--store", log.where])


@dataclass(frozen=True)
class RunLine:
    """A run in a list: its ``row`` of the table of runs, with the status of :func:`standing`.

    ``updated`` is the time of its last event, in seconds since the epoch, and ``last_event`` that
    event's number; ``process`` is at work on the run. ``method`` is the name in the comparison it
    was made for. ``reducing`` is how many evaluations went into reducing the best.
    """

    row: RunRow
    updated: float | None = None
    last_event: int = 0
    process: str = ""
    method: str = ""
    reducing: int = 0

    @property
    def tried(self) -> int:
        """Number of candidates that the search evaluated."""
        return self.row.evaluations - self.reducing

    @classmethod
    def read(cls, log: RunLog) -> RunLine:
        """The line of a run, from all its events; if they cannot be read, it says why."""
        try:
            return cls.of(History.of(log))
        except JournalError as error:
            return cls.unreadable(log.run_id, error)

    @classmethod
    def unreadable(cls, run_id: str, error: MaxcodeError, last_event: int = 0) -> RunLine:
        """The line of a run of which only the reason can be listed."""
        row = RunRow(run=run_id, status="unreadable", reason=str(error))
        return cls(row, last_event=last_event)

    @classmethod
    def of(cls, history: History) -> RunLine:
        """The line of a run whose events were read already."""
        state = history.state
        return cls(
            row=replace(run_row(history), status=standing(state)),
            updated=history.updated,
            last_event=state.last_event,
            process=state.session.process if state.session else "",
            method=_method(state),
            reducing=state.account.reducing,
        )

    def now(self) -> RunLine:
        """This line; killed, if its process is gone."""
        gone = system.here(self.process) and not system.alive(self.process)
        killed = gone and self.row.status == "running"
        return replace(self, row=replace(self.row, status="killed")) if killed else self

    @property
    def why(self) -> str:
        """The reason of the status, in words."""
        return ending(self.row.status, self.row.reason or "")

    @property
    def best(self) -> Interval | None:
        """The speedup; None while nothing faster was found."""
        row = self.row
        if not row.improved or row.speedup is None or row.low is None or row.high is None:
            return None
        return Interval(row.speedup, row.low, row.high)

    def document(self) -> Document:
        """As JSON."""
        best, row = self.best or Interval(1.0, 1.0, 1.0), self.row
        return {
            "run_id": row.run,
            "task": row.task or "",
            "method": self.method or None,
            "status": row.status,
            "best": {
                "speedup": best.value,
                "low": best.low,
                "high": best.high,
                "confirmed": bool(self.best and row.confirmed),
            },
            "evaluations": row.evaluations,
            "started": row.started,
            "reason": self.why,
        }


def _method(state: RunState) -> str:
    """The name of the method in a comparison; empty for a run on its own."""
    recipe = state.started.options.recipe if state.started else {}
    cell = recipe.get(COMPARISON)
    return str(recipe.get(METHOD) or cell.get(METHOD, "")) if isinstance(cell, dict) else ""
