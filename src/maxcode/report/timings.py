"""The samples that a report shows."""

from __future__ import annotations

from dataclasses import dataclass

from maxcode.evaluation import Measurement
from maxcode.report.history import History
from maxcode.report.plain import plain
from maxcode.result import Result
from maxcode.tree import ROOT

_COMPARISONS = 8


@dataclass(frozen=True, slots=True)
class Timing:
    """Raw samples of one meter, of programs that were measured in turn, by the program's name.

    ``rival`` is the name of what the other was measured against.
    """

    title: str
    meter: str
    unit: str
    rival: str
    samples: tuple[tuple[str, tuple[float, ...]], ...]


def timings_of(history: History, result: Result) -> tuple[Timing, ...]:
    """Samples of the baseline, of the best when it was judged, and of the last comparisons.

    Of comparisons those count that made a new best, and those with the baseline.
    """
    best = result.best
    found = [_timing("baseline, at the start", {"baseline": result.baseline.measurements})]
    if best.id != ROOT:
        rival = "another" if best.evaluation.against else "baseline"
        sides = {f"#{best.id}": best.evaluation.measurements, rival: best.evaluation.reference}
        found.append(_timing(f"#{best.id} when judged", sides))
    told = [one for one in history.comparisons if one.promoted or one.against == ROOT]
    for one in told[-_COMPARISONS:]:
        rival = "baseline" if one.against == ROOT else f"#{one.against}"
        sides = {f"#{one.step}": one.comparison.first, rival: one.comparison.second}
        found.append(_timing(f"#{one.step} against {rival}", sides))
    return tuple(timing for timing in found if timing)


def _timing(title: str, sides: dict[str, tuple[Measurement, ...]]) -> Timing | None:
    measured = {name: found[0] for name, found in sides.items() if found}
    if not measured:
        return None
    first = next(iter(measured.values()))
    samples = tuple((name, one.samples) for name, one in measured.items())
    return Timing(title, plain(first.meter), plain(first.unit), [*sides][-1], samples)
