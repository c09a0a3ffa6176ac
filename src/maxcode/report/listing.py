"""Runs and steps as ``maxcode show`` and the live view list them, and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from pydantic import JsonValue

from maxcode import system
from maxcode.budget import FREE, Cost
from maxcode.comparison.method import METHOD
from maxcode.comparison.method import RECIPE as COMPARISON
from maxcode.errors import JournalError, MaxcodeError
from maxcode.evaluation import FuzzResult, HeldOut, Interval, Status
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.journal.store import default_store
from maxcode.report.history import History
from maxcode.search.result import Result
from maxcode.search.summary import ending
from maxcode.tree import ROOT, SearchTree, Step

Document = dict[str, JsonValue]


def standing(state: RunState) -> str:
    """How a run stands: done, interrupted or failed if it said so; else running, or killed."""
    if state.stopped:
        return state.stopped.status
    process = state.session.process if state.session else ""
    lives = system.alive(process) if system.here(process) else state.log.beats()
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
            side: [
                {"meter": m.meter, "unit": m.unit, "samples": list(m.samples)} for m in measurements
            ]
            for side, measurements in samples.items()
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
    """A run in a list.

    ``best`` is None while nothing faster was found; ``reason`` is why it ended. ``reducing`` is how
    many evaluations went into reducing the best. ``started`` and ``updated`` are the times of its
    first and last event, in seconds since the epoch. ``policy`` and ``generator`` are the names of
    those plug-ins; ``method`` is the name in the comparison it was made for. ``last_event`` is the
    number of the last event read, ``process`` is at work on the run.
    """

    run_id: str
    task: str
    status: str
    best: Interval | None
    confirmed: bool
    spent: Cost
    started: float | None
    updated: float | None
    reason: str = ""
    policy: str = ""
    generator: str = ""
    method: str = ""
    last_event: int = 0
    process: str = ""
    reducing: int = 0

    @property
    def tried(self) -> int:
        """Number of candidates that the search evaluated."""
        return self.spent.evaluations - self.reducing

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
        line = cls(run_id, "", "unreadable", None, False, FREE, None, None, str(error))
        return replace(line, last_event=last_event)

    @classmethod
    def of(cls, history: History) -> RunLine:
        """The line of a run whose events were read already."""
        state = history.state
        plugins = state.started.plugins if state.started else {}
        result = Result.of(state) if state.has_tree else None
        improved = result is not None and result.improved
        return cls(
            run_id=state.log.run_id,
            task=state.started.task if state.started else "",
            status=standing(state),
            best=result.speedup if result and improved else None,
            confirmed=bool(result and improved and result.confirmed),
            spent=state.spent,
            started=history.started,
            updated=history.updated,
            reason=state.stopped.reason if state.stopped else "",
            policy=plugins.get("policy", ""),
            generator=plugins.get("generator", ""),
            method=_method(state),
            last_event=state.last_event,
            process=state.session.process if state.session else "",
            reducing=state.account.reducing,
        )

    def now(self) -> RunLine:
        """This line; killed, if its process is gone."""
        gone = system.here(self.process) and not system.alive(self.process)
        return replace(self, status="killed") if self.status == "running" and gone else self

    def document(self) -> Document:
        """As JSON."""
        best = self.best or Interval(1.0, 1.0, 1.0)
        return {
            "run_id": self.run_id,
            "task": self.task,
            "method": self.method or None,
            "status": self.status,
            "best": {
                "speedup": best.value,
                "low": best.low,
                "high": best.high,
                "confirmed": self.confirmed,
            },
            "evaluations": self.spent.evaluations,
            "started": self.started,
            "reason": ending(self.status, self.reason),
        }


def _method(state: RunState) -> str:
    """The name of the method in a comparison; empty for a run on its own."""
    recipe = state.started.options.recipe if state.started else {}
    cell = recipe.get(COMPARISON)
    return str(recipe.get(METHOD) or cell.get(METHOD, "")) if isinstance(cell, dict) else ""
