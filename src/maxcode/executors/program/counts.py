"""Counts: plausibility of gains in counted instructions."""

from __future__ import annotations

from maxcode.evaluation import Interval
from maxcode.executors.program.timing import ProgramTiming, Timed
from maxcode.measure.meters import meter
from maxcode.measure.statistics import LONG_ENOUGH
from maxcode.program import Program
from maxcode.tasks.program import ProgramTask

_IMPLAUSIBLE = 5.0  # times more that a program gained by counting than by processor time
_STARTING = 1.5  # times what an empty program takes, up to which processor time is that of starting
_UNSTEADY = 1.25  # times the smallest count that the largest on the same inputs may be
_BY_KERNEL = 0.2  # of the other program's time, that a kernel may work more for a counted one
_SURE = 4  # standard deviations that decide


def doubt(timing: ProgramTiming, task: ProgramTask, a: Program, b: Program, timed: Timed) -> str:
    """Reason not to believe the counts of two programs; "" if none, or without counts.

    A program can detect counting. So the kernel's work, which does not count as its instructions,
    is compared with and without.
    """
    if timed.in_kernel is None:
        return ""
    counts = timed.first[0].samples
    if max(counts) > _UNSTEADY * min(counts):
        return (
            f"its counts on the same inputs differ, from {min(counts):.3g} to {max(counts):.3g}: "
            "what it does depends on something else than its input"
        )
    if timed.ratio.value <= 1:
        return ""
    allowed = _BY_KERNEL * timing.seconds(task, b)
    alone = timing.in_kernel(task, a), timing.in_kernel(task, b)
    for where, (ours, theirs) in (
        ("while it is counted", timed.in_kernel),
        ("when it runs by itself", alone),
    ):
        if ours.beyond(theirs, _SURE) > allowed:
            return (
                f"the operating system works {ours.mean - theirs.mean:.2g} s a pass more for it "
                f"{where}, which instructions do not count: have the program do that itself, or "
                "measure cpu"
            )
    return implausible(timing, task, a, b, timed.ratio)


def implausible(
    timing: ProgramTiming, task: ProgramTask, a: Program, b: Program, ratio: Interval
) -> str:
    """Reason not to believe a gain only an instrument saw; "" if none.

    A program can manipulate an instrument in its own process, but not processor time.
    """
    if not meter(task.judging.meter).repeatable or ratio.value < _IMPLAUSIBLE:
        return ""
    ours, theirs = timing.seconds(task, a), timing.seconds(task, b)
    if min(ours, theirs) < LONG_ENOUGH and ratio.value * ours >= _IMPLAUSIBLE * theirs:
        ours, theirs = timing.quickest(task, a), timing.quickest(task, b)
        if ours <= _STARTING * timing.starting(task):
            return ""  # it does so little that there is nothing to hide
    by_time = theirs / max(ours, 1e-6)
    if ratio.value < _IMPLAUSIBLE * max(by_time, 1.0):
        return ""
    return (
        f"counted as {ratio.value:.3g} times faster, but by processor time it is "
        f"{by_time:.3g}: the count cannot be believed"
    )
