"""The difference between two methods, and whether it is real."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from maxcode.comparing.statistics import Estimate

SIGNIFICANT = 0.05
"""The chance, over all differences of one list, of calling two equal methods different."""


Verdict = Literal["better", "worse", "better here", "worse here", "not told apart"]


@dataclass(frozen=True)
class Difference:
    """How many times faster a method's programs are than another's, and whether that is real.

    ``ratio`` is that of geometric means, with the interval of Student's t over the means of tasks,
    or over the seeds of a single one. ``p`` comes from a permutation test over the pairs and speaks
    of these tasks; ``p_tasks`` comes from a t-test over the means of tasks and speaks of others
    like them, which a single task allows nobody to do: it is 1 then. ``corrected`` and
    ``corrected_tasks`` allow for how many such tests were made (Holm). The ``verdict`` is "better"
    or "worse" where ``corrected_tasks`` is at most 0.05, with "here" where only ``corrected`` is.
    """

    method: str
    other: str
    ratio: Estimate
    p: float
    corrected: float
    p_tasks: float
    corrected_tasks: float
    pairs: int

    @property
    def verdict(self) -> Verdict:
        """What may be said of the two."""
        faster = self.ratio.value > 1
        if self.corrected_tasks <= SIGNIFICANT:
            return "better" if faster else "worse"
        if self.corrected <= SIGNIFICANT:
            return "better here" if faster else "worse here"
        return "not told apart"

    @property
    def real(self) -> bool:
        """Whether one is better than the other beyond these tasks."""
        return self.verdict in ("better", "worse")

    def __str__(self) -> str:
        low, high = f"{self.ratio.low:.2f}", f"{self.ratio.high:.2f}"
        p = self.corrected_tasks if self.real else self.corrected
        figures = f"{self.ratio.value:.2f}x [{low}, {high}], p = {p:.2g}"
        match self.verdict:
            case "not told apart":
                return f"{self.method} and {self.other} cannot be told apart: {figures}"
            case "better" | "worse":
                return f"{self.method} is {self.verdict} than {self.other}: {figures}"
        return (
            f"{self.method} is {self.verdict.split()[0]} than {self.other} on these tasks, which "
            f"need not hold for others: {figures}"
        )
