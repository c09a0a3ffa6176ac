"""What is said of a run in words, on the screen and in reports."""

from __future__ import annotations

from collections.abc import Mapping

from maxcode import processes
from maxcode.calls import Usage
from maxcode.evaluation import Baseline, Status
from maxcode.result import Result
from maxcode.state import RunState
from maxcode.telling.words import counted, dollars, duration, factor, percent, price
from maxcode.tree import Step

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
        return f"{told}: a loud machine"
    return f"{told}: a loud machine; --meter instructions hears nothing of it"


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
    lives = state.session is not None and processes.alive(state.session.process)
    return "running" if lives else "killed"
