"""The result of a search in words, as the terminal, pages and notebooks show it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from maxcode.budget import Cost, Usage
from maxcode.evaluation import (
    Baseline,
    Drawn,
    FuzzResult,
    HeldOut,
    HunkWorth,
    Interval,
    Measurement,
    Reason,
    Status,
)
from maxcode.journal.events import Reduced
from maxcode.journal.progress import NO_ANSWER
from maxcode.search.changes import changed_lines, pieces
from maxcode.text import counted, dollars, duration, factor, interval, percent, price, quantity
from maxcode.tree import SearchTree, Step

_NOISY = 0.05  # difference between two runs of one program
_SMALL = 0.2  # share of the baseline that no candidate can save
_KEPT = 0.75  # share of a speedup that is about as much on other inputs
_TOO_QUICK = 0.03  # seconds below which starting the program is a good part of its time


def tried(spent: Cost, by_status: Mapping[Status, int], reducing: int) -> str:
    """Number of evaluations, their time, and their outcomes.

    ``reducing`` is how many of the evaluations spent went into reducing the best program.
    """
    outcomes = tally(by_status)
    evaluations = counted(spent.evaluations - reducing, "evaluation")
    if reducing:
        evaluations += f", {reducing} more to reduce the best,"
    return f"{evaluations} in {duration(spent.seconds)}{': ' if outcomes else ''}{outcomes}"


def tally(counts: Mapping[Status, int]) -> str:
    """Number of candidates by outcome: ``12 ok, 3 wrong answer``."""
    order = sorted(counts, key=lambda status: (status is not Status.OK, -counts[status], status))
    return ", ".join(f"{counts[s]} {s.replace('_', ' ')}" for s in order if counts[s])


_UNUSABLE = {  # by the tag of a proposal: what was wrong, and what helps
    "cut-off": ("cut off at the token limit", "more tokens for an answer: max_tokens of the model"),
    "no-program": ("without a program", "another form of answer (--answers), or another model"),
    "partial": ("with a part of a program", "another form of answer (--answers), or another model"),
    "edit-mismatch": ("with edits that do not apply", "--answers program, or another model"),
    "path": ("for a file that is not the program's", "another model"),
    "unchanged": ("with the program as it was", "a higher temperature, or another model"),
    "empty": ("empty", "another model"),
    "refused": ("refused by the model", "another model"),
    "too-long": ("none, for no prompt was short enough", "a model or server with a larger context"),
    NO_ANSWER: ("none that came whole", "a server that answers"),
}

# The model is told of these, and may do better.
_MENDABLE = {"no-program", "partial", "edit-mismatch", "path", "unchanged"}
_IN_A_ROW = 3
BY = "by:"
"""Prefix of the tag naming the generator of a mixture that made a proposal."""


def answers_of(steps: Iterable[Step], name: str = "") -> list[Step]:
    """Answers of the generator of this name in a mixture, or all where there is no mixture."""
    wanted = {f"{BY}{name}"} if name else set()
    answers = (step for step in steps if step.parent is not None)
    return [one for one in answers if {t for t in one.tags if t.startswith(BY)} == wanted]


def hopeless(steps: Sequence[Step]) -> str:
    """Reason to stop asking after these answers, and advice; empty where there is none.

    The last three came and hold no program. A model that may mend its answers itself is only given
    up if none of them held a program, and if it is paid for.
    """
    last = steps[-_IN_A_ROW:]
    kinds = list(dict.fromkeys(_kind(step) for step in last))
    if len(last) < _IN_A_ROW or "" in kinds or kinds == [NO_ANSWER]:
        return ""
    paid = any(step.cost.dollars or step.cost.unpriced for step in last)
    if _MENDABLE & {*kinds} and not (paid and all(_kind(step) for step in steps)):
        return ""
    reasons = zip(*(_UNUSABLE[kind] for kind in kinds), strict=True)
    what, helps = (" or ".join(dict.fromkeys(parts)) for parts in reasons)
    return f"{_IN_A_ROW} answers in a row were {what}; what helps is {helps}"


def _kind(step: Step) -> str:
    """Why an answer held no program; empty where there is one, or no name for it."""
    return next((tag for tag in step.tags if tag in _UNUSABLE), "")


def unusable(tree: SearchTree) -> Counter[str]:
    """Number of answers without a program, by reason; "" where it has no name."""
    return Counter(_kind(step) for step in tree if step.evaluation.status is Status.INVALID)


def unusable_answers(tree: SearchTree) -> list[tuple[str, str]]:
    """Reasons for answers without a usable program, under a name; empty without such answers."""
    found = unusable(tree)
    named = [(_UNUSABLE[tag][0], number) for tag, number in found.most_common() if tag]
    if number := found[""]:
        named.append(("unusable", number))
    text = ", ".join(f"{number} {reason}" for reason, number in named)
    return [("answers", text)] if text else []


def unusable_advice(tree: SearchTree) -> list[str]:
    """Advice where most answers held no program: for each of the two most frequent reasons."""
    found = unusable(tree)
    if 2 * found.total() <= len(tree) - 1:
        return []
    return list(dict.fromkeys(_UNUSABLE[tag][1] for tag, _ in found.most_common(2) if tag))


def why_invalid(step: Step) -> str:
    """In a line, why a step's answer held no program; empty for other steps."""
    invalid = step.evaluation.status is Status.INVALID
    return step.evaluation.feedback.partition("\n")[0] if invalid else ""


def model_usage(usage: Mapping[str, Usage]) -> list[tuple[str, str]]:
    """Requests and cost of each model, under the role it served."""
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
    if use.reserves:
        held = dollars(use.reserved) if use.reserved else "the most it can be"
        parts.append(
            f"{held} of it a reserve for {counted(use.reserves, 'request')} whose use is not known"
        )
    if use.estimated:
        parts.append(
            f"tokens of {counted(use.estimated, 'answer')} estimated: the count that came cannot be"
        )
    return ", ".join(parts)


def evidence(*, confirmed: bool) -> tuple[str, str]:
    """Evidence for a speedup: a word, and its meaning."""
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


def described(baseline: Baseline) -> str:
    """Note on the baseline's measurement, without its figures.

    A run has one set of figures, :func:`figures`; notes of version 0.1 hold others.
    """
    return re.sub(r" [^,;]* \(median of \d+[^)]*\),", "", baseline.note)


def figures(before: Measurement, now: Measurement | None) -> tuple[str, str]:
    """Readings of the baseline and, if given, of the best program, under the meter's name."""
    name = before.meter.replace("_", " ")
    title = f"{name} time" if before.unit == "s" and name != "time" else name
    if now is None:
        low, high = (
            quantity(one, before.unit) for one in (min(before.samples), max(before.samples))
        )
        samples = f"median of {len(before.samples)}, {low} to {high}"
        return title, f"{quantity(before.median, before.unit)} ({samples})"
    first, second = (quantity(one.median, one.unit) for one in (before, now))
    return title, f"{first} before, {second} now"


def doubts(baseline: Baseline) -> list[str]:
    """Why little can be shown, gained or seen with such a baseline; empty if nothing."""
    loud = (baseline.noise or 0.0) >= _NOISY
    return [*baseline.gaps, *too_small(baseline), *([noise(baseline)] if loud else [])]


def too_small(baseline: Baseline) -> list[str]:
    """Doubt whether most of the reading is the program's work, and advice."""
    first, value, floor = baseline.measurements[0], baseline.value, baseline.floor
    larger = "larger inputs, on which it takes 0.1 s and more,"
    if floor is not None and floor > _SMALL * value:
        least = quantity(min(floor, value), first.unit)
        return [
            f"the baseline takes {quantity(value, first.unit)}, of which {least} is what a program "
            f"that does nothing takes: {_at_most(value / floor)}; {larger} leave more to gain"
        ]
    if first.unit == "s" and value < _TOO_QUICK:
        return [f"the baseline takes only {duration(value)}: {larger} show differences better"]
    return []


def _at_most(ratio: float) -> str:
    if ratio < 1 + _NOISY:
        return "next to nothing can be gained"
    return f"no candidate can be more than {factor(ratio)} faster"


def ending(status: str, reason: str) -> str:
    """Why a run ended; empty while it goes on."""
    if status == "running":
        return ""
    if status == "killed":
        return "its process ended without a word; resume goes on with it"
    return reason or status


def elsewhere(given: Interval, held_out: HeldOut | None) -> str:
    """Speedup on held-out inputs, where it is far below the speedup ``given`` on the tests.

    These are other inputs, with about as much gain and never exactly as much.
    """
    found = held_out.ratio if held_out else None
    if not (held_out and found) or found.high >= given.low or found.value > _KEPT * given.value:
        return ""
    return f"{factor(found.value)} on {counted(held_out.inputs, 'input')} held out"


def further(
    given: Interval,
    fuzzed: FuzzResult | None,
    held_out: HeldOut | None,
    drawn: Drawn | None = None,
) -> list[tuple[str, str]]:
    """Whether it is as right and as fast in other layouts, on inputs beyond the task's."""
    rows = over(drawn)
    if fuzzed:
        rows.append(("agrees", agreement(fuzzed)))
        rows += [("beyond", fuzzed.remark)] if fuzzed.remark else []
    if held_out and held_out.ratio is None:
        rows.append(("held out", f"not measured on inputs held out: {held_out.problem}"))
    elif held_out and held_out.ratio:
        found, inputs = interval(held_out.ratio), counted(held_out.inputs, "input")
        text = f"holds on inputs held out: {found}, on {inputs} that the search has not seen"
        if elsewhere(given, held_out):
            text = (
                f"{found} on {inputs} that the search has not seen, and {interval(given)} on the "
                "tests given: what is gained depends on those"
            )
        rows.append(("held out", text))
    return rows


def over(drawn: Drawn | None) -> list[tuple[str, str]]:
    """Layouts and inputs of a confirmed speedup, under a name."""
    if drawn is None:
        return []
    rows = []
    if drawn.layouts:
        text = f"confirmed over {counted(drawn.layouts, 'layout')} of each program"
        if drawn.spread is not None:
            text += f"; they differ by {percent(drawn.spread)}"
        rows.append(("layouts", text))
    if drawn.fresh:
        inputs = counted(drawn.inputs, "input")
        text = f"{interval(drawn.fresh)}, on {inputs} that were timed once each"
        if drawn.disagrees and drawn.given:
            text += (
                f", and {interval(drawn.given)} on the tests given: something is kept from run to "
                "run, or the gain depends on their values"
            )
        rows.append(("fresh inputs", text))
    if drawn.note:
        rows.append(("timed", drawn.note))
    return rows


def agreement(fuzzed: FuzzResult) -> str:
    """Comparison of a program with the original on generated inputs, in words."""
    if fuzzed.counterexample is not None:
        before = counted(fuzzed.agreed, "input")
        return f"differs from the original on a further input, after {before} without a difference"
    if not fuzzed.agreed:
        return f"not tried on further inputs: {fuzzed.why or 'there was no time'}"
    inputs = counted(fuzzed.agreed, "further input")
    if fuzzed.few:
        inputs = f"only {fuzzed.agreed} of {fuzzed.wanted} further inputs, too few to rely on"
        inputs += f": {fuzzed.why}" if fuzzed.why else ""
    rejected = f"; {fuzzed.rejected} rejected as not valid" if fuzzed.rejected else ""
    return f"with the original on {inputs}{rejected}"


def passed(baseline: Baseline) -> str:
    """The checks of the task that a program passed, in words."""
    return baseline.passed or described(baseline).partition(", ")[0] or "passes the tests"


def compared(fuzzed: FuzzResult) -> str:
    """Generated inputs on which a program agrees, to follow :func:`passed`."""
    if not fuzzed.agreed:
        why = f" ({fuzzed.why})" if fuzzed.why else ""
        return f", but no generated input was compared{why}"
    said = f" and {counted(fuzzed.agreed, 'generated input')}"
    return f"{said} ({fuzzed.wanted} were wanted)" if fuzzed.few else said


def hardly_compared(fuzzed: FuzzResult | None, baseline: Baseline) -> str:
    """Warning of too few inputs compared, or of tests that show little; else empty."""
    said = list(baseline.gaps)
    if fuzzed is not None and fuzzed.few:
        said.insert(0, f"compared on only {fuzzed.agreed} of {fuzzed.wanted} further inputs")
    return "; ".join(said)


def noise(baseline: Baseline) -> str:
    """Noise of the machine, and advice if it is high."""
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
    """Reduction of the best program, under a name; empty without a reduction."""
    if reduced is None:
        return []
    found = tree.best
    while found.reduced_from is not None:
        found = tree[found.reduced_from]
    if found is tree.best:
        text = f"none of {reduced.before} changed lines was found that could be left out"
        return [("not reduced", text)]
    before = changed_lines(tree.root.program, found.program)
    text = f"from {before} changed lines to {reduced.after}; as it was: --step {found.id}"
    return [("reduced", text)]


def hunk_worth(hunk: HunkWorth) -> str:
    """Worth of a hunk of the best program, in words."""
    if hunk.worth is not None:
        return interval(hunk.worth)
    if hunk.reason is Reason.BUDGET:
        return hunk.problem
    return f"needed: without it, {hunk.problem.splitlines()[0]}" if hunk.problem else "needed"


def why_no_worth(command: str, tree: SearchTree, best: Step) -> str:
    """Why no worth is known of each hunk of a run's ``best`` program; ``command`` measures it."""
    if best is not tree.best:
        return "not measured: the policy returned another program than the fastest"
    if tree.confirmed(best.id) is None:
        return "not measured: the speedup was not confirmed"
    if len(pieces(tree.root.program, best.program)) == 1:
        return "the change is one piece, worth all of the speedup"
    return f"not measured; to measure it: {command}"


def _called(step: Step) -> str:
    return "the baseline" if step.parent is None else f"#{step.id}"
