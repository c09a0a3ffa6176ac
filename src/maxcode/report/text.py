"""Figures as people read them: no more digits than they can use."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from maxcode import system
from maxcode.budget import Cost, Usage
from maxcode.evaluation import Baseline, Interval, Status
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.search.result import Result
from maxcode.tree import ROOT, SearchTree, Step


def factor(value: float) -> str:
    """A speedup: ``1.07x``, ``12.3x``, ``140x``."""
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}x"


def interval(ratio: Interval) -> str:
    """A speedup with its bounds: ``2.31x [2.27, 2.35]``."""
    low, high = (factor(bound).removesuffix("x") for bound in (ratio.low, ratio.high))
    return f"{factor(ratio.value)} [{low}, {high}]"


def duration(seconds: float) -> str:
    """A time: ``8.21 ms``, ``1.25 s``, ``2 min 5 s``, ``1 h 3 min``."""
    if seconds < 0.0009995:
        return f"{seconds * 1e6:.3g} us"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 59.95:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def clock(seconds: float) -> str:
    """A time that runs, in whole seconds: ``0:07``, ``2:05``, ``1:02:33``."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def size(count: int) -> str:
    """An amount of memory: ``312 B``, ``1.2 kB``, ``48 MB``."""
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 999.5:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.3g} {unit}"
        amount /= 1000
    return f"{amount:.3g} GB"


def quantity(value: float, unit: str) -> str:
    """A reading of a meter: ``1.25 s``, ``48 MB``, ``1.2e+09 instructions``."""
    if unit == "s":
        return duration(value)
    return size(round(value)) if unit == "B" else f"{value:.4g} {unit}"


def percent(share: float) -> str:
    """A share: ``0.8 %``, ``12 %``."""
    return f"{100 * share:.2g} %" if share < 0.0995 else f"{100 * share:.0f} %"


def dollars(amount: float) -> str:
    """Money: ``$0.42``; four digits where a cent is too coarse."""
    return f"${amount:.4f}" if 0 < amount < 0.1 else f"${amount:.2f}"


def price(paid: float, unpriced: int | float) -> str:
    """What tokens cost, where the price of ``unpriced`` of them is unknown: ``$3.20 and more``."""
    if not unpriced:
        return dollars(paid)
    return f"{dollars(paid)} and more" if paid else "price unknown"


def when(timestamp: float) -> str:
    """A point in time, in the time zone of the machine: ``2026-01-31 14:05``."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(timestamp))


def counted(count: int, noun: str) -> str:
    """``1 test``, ``4 tests``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


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


@dataclass(frozen=True)
class RunLine:
    """A run in a list. ``best`` is None while nothing faster was found.

    ``started`` and ``updated`` are when its first and last event were written, in seconds since the
    epoch.
    """

    run_id: str
    task: str
    status: str
    best: Interval | None
    confirmed: bool
    spent: Cost
    started: float | None
    updated: float | None

    @classmethod
    def read(cls, log: RunLog) -> RunLine:
        """The line of a run, from all its events."""
        state, started, updated = RunState(log), None, None
        for recorded in log.events():
            state.apply(recorded)
            started = recorded.at if started is None else started
            updated = recorded.at
        return cls.of(state, started, updated)

    @classmethod
    def of(cls, state: RunState, started: float | None, updated: float | None) -> RunLine:
        """The line of a run whose events were folded already."""
        result = Result.of(state) if state.has_tree else None
        improved = result is not None and result.improved
        return cls(
            run_id=state.log.run_id,
            task=state.started.task if state.started else "",
            status=standing(state),
            best=result.speedup if result and improved else None,
            confirmed=bool(result and improved and result.confirmed),
            spent=state.spent,
            started=started,
            updated=updated,
        )

    def document(self) -> Document:
        """As JSON."""
        best = self.best or Interval(1.0, 1.0, 1.0)
        return {
            "run_id": self.run_id,
            "task": self.task,
            "status": self.status,
            "best": {
                "speedup": best.value,
                "low": best.low,
                "high": best.high,
                "confirmed": self.confirmed,
            },
            "evaluations": self.spent.evaluations,
            "started": self.started,
        }


_LOUD = 0.05  # between two runs


def tried(result: Result) -> str:
    """How much was tried, how long that took, and how it ended."""
    spent = result.spent
    outcome = tally(result.by_status)
    return (
        f"{counted(spent.evaluations, 'evaluation')} in {duration(spent.seconds)}"
        f"{': ' if outcome else ''}{outcome}"
    )


def asked(result: Result) -> list[tuple[str, str]]:
    """What models were asked, and what that cost."""
    return [(name.partition(":")[0], _used(name, use)) for name, use in result.usage.items()]


def _used(name: str, use: Usage) -> str:
    parts = [f"{name.partition(':')[2]}: {counted(use.answers, 'answer')}"]
    if use.reused:
        parts.append(f"{use.reused} of them paid for by earlier runs")
    if use.lost:
        parts.append(f"{use.lost} more never came")
    if use.prompts:
        cached = f" ({percent(use.cached / use.prompts)} from its cache)" if use.cached else ""
        parts.append(f"{use.prompts:,} tokens in{cached}")
        thought = f" ({percent(use.thinking / use.output)} thinking)" if use.thinking else ""
        parts.append(f"{use.output:,} out{thought}")
        parts.append(_bill(use))
    return ", ".join(parts)


def _bill(use: Usage) -> str:
    saved = f", {dollars(use.saved)} saved by its cache" if use.saved > 0 else ""
    return f"{price(use.dollars, use.unpriced)}{saved}"


def how_sure(result: Result) -> tuple[str, str]:
    """What the speedup rests on: a word, and what it means."""
    if result.confirmed:
        return (
            "confirmed",
            "measured side by side with the baseline, on samples the search had not seen",
        )
    return (
        "unconfirmed",
        "multiplied from the comparisons that the search chose its steps by, so it may be too "
        "high; the last comparison with the baseline, which would confirm it, comes at the end",
    )


def noise(baseline: Baseline) -> str:
    """How quiet the machine was, and what to do if it was not."""
    share = baseline.noise or 0.0
    told = f"two runs of the same program differ by {percent(share)}, typically"
    if share < _LOUD:
        return told
    if baseline.measurements[0].meter != "cpu":
        return f"{told}: a noisy machine"
    return f"{told}: a noisy machine; --meter instructions hears nothing of it"


def handed_back(result: Result) -> list[tuple[str, str]]:
    """Which step the policy handed back, where that is not the best, and which that is."""
    if result.returned is None:
        return []
    returned, best = (_called(step) for step in (result.best, result.tree.best))
    confirmed = result.tree.confirmed(result.tree.best.id)
    speedup = f", {factor(confirmed.value)} confirmed" if confirmed else ""
    told = f"{returned}, by the rules of the policy; the best of the run is {best}{speedup}"
    return [("handed back", told)]


def _called(step: Step) -> str:
    return "the baseline" if step.parent is None else f"#{step.id}"


def tally(counts: Mapping[Status, int]) -> str:
    """How many candidates ended how: ``12 ok, 3 wrong answer``."""
    order = sorted(counts, key=lambda status: (status is not Status.OK, -counts[status], status))
    return ", ".join(f"{counts[s]} {s.replace('_', ' ')}" for s in order if counts[s])


def standing(state: RunState) -> str:
    """How a run stands: done, interrupted or failed if it said so; else running, or killed."""
    if state.stopped:
        return state.stopped.status
    lives = state.session is not None and system.alive(state.session.process)
    return "running" if lives else "killed"
