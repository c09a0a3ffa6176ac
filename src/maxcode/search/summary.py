"""The result of a search in words, as the terminal, pages and notebooks show it."""

from __future__ import annotations

from collections.abc import Mapping

from maxcode.budget import Cost, Usage
from maxcode.evaluation import Baseline, HunkWorth, Status
from maxcode.journal.events import Reduced
from maxcode.search.changes import changed_lines
from maxcode.text import counted, dollars, duration, factor, interval, percent, price
from maxcode.tree import SearchTree, Step

_NOISY = 0.05  # difference between two runs of one program


def tried(spent: Cost, by_status: Mapping[Status, int]) -> str:
    """How much was tried, how long that took, and how it ended."""
    outcomes = tally(by_status)
    evaluations = counted(spent.evaluations, "evaluation")
    return f"{evaluations} in {duration(spent.seconds)}{': ' if outcomes else ''}{outcomes}"


def tally(counts: Mapping[Status, int]) -> str:
    """How many candidates ended how: ``12 ok, 3 wrong answer``."""
    order = sorted(counts, key=lambda status: (status is not Status.OK, -counts[status], status))
    return ", ".join(f"{counts[s]} {s.replace('_', ' ')}" for s in order if counts[s])


def model_usage(usage: Mapping[str, Usage]) -> list[tuple[str, str]]:
    """What each model was asked, under the role that asked, and what that cost."""
    return [(name.partition(":")[0], _used(name, use)) for name, use in usage.items()]


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
        saved = f", {dollars(use.saved)} saved by its cache" if use.saved > 0 else ""
        parts.append(f"{price(use.dollars, use.unpriced)}{saved}")
    return ", ".join(parts)


def evidence(*, confirmed: bool) -> tuple[str, str]:
    """What a speedup rests on: a word, and what it means."""
    if confirmed:
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
    text = f"two runs of the same program differ by {percent(share)}, typically"
    if share < _NOISY:
        return text
    if baseline.measurements[0].meter != "cpu":
        return f"{text}: a noisy machine"
    return f"{text}: a noisy machine; --meter instructions is not affected"


def returned_step(tree: SearchTree, returned: int | None) -> list[tuple[str, str]]:
    """Which step the policy returned and which is the best, under a name; empty if they agree."""
    if returned is None:
        return []
    confirmed = tree.confirmed(tree.best.id)
    speedup = f", {factor(confirmed.value)} confirmed" if confirmed else ""
    chosen, best = _called(tree[returned]), _called(tree.best)
    text = f"{chosen}, by the rules of the policy; the best of the run is {best}{speedup}"
    return [("returned", text)]


def reduction(tree: SearchTree, reduced: Reduced | None) -> list[tuple[str, str]]:
    """How the best program was reduced, under a name; empty if that was not tried."""
    if reduced is None:
        return []
    found = tree.best
    while found.reduced_from is not None:
        found = tree[found.reduced_from]
    before, after = tree.confirmed(found.id), tree.confirmed(tree.best.id)
    if found is tree.best or before is None or after is None:
        text = f"none of {reduced.before} changed lines was found that could be left out"
        return [("not reduced", text)]
    lines = (
        f"from {changed_lines(tree.root.program, found.program)} changed lines to {reduced.after}"
    )
    was, now = factor(before.value), factor(after.value)
    speed = f"{was} {'stays' if was == now else 'was measured again as'} {interval(after)}"
    return [("reduced", f"{lines}; {speed}; as it was: --step {found.id}")]


def hunk_worth(hunk: HunkWorth) -> str:
    """What a hunk of the best program is worth, in words."""
    if hunk.worth is not None:
        return interval(hunk.worth)
    if hunk.problem.startswith(("not measured", "other hunks")):
        return hunk.problem
    return f"needed: without it, {hunk.problem.splitlines()[0]}" if hunk.problem else "needed"


def _called(step: Step) -> str:
    return "the baseline" if step.parent is None else f"#{step.id}"
