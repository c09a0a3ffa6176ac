"""What work costs, in the four currencies a budget can limit."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of work, paid or reserved.

    ``evaluations`` counts programs that were built and judged, ``tokens`` those of models, in and
    out. ``dollars`` is what a provider charges; ``seconds`` is wall time of the search, so
    concurrent work is not added up in it. ``unpriced`` counts the tokens whose price is not known:
    they are among ``tokens``, and what they cost is missing from ``dollars``.
    """

    evaluations: int = 0
    tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    unpriced: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            amount = getattr(self, field.name)
            if not isfinite(amount) or amount < 0:
                raise ValueError(f"a cost cannot be negative or endless: {field.name}={amount}")

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.evaluations + other.evaluations,
            self.tokens + other.tokens,
            self.dollars + other.dollars,
            self.seconds + other.seconds,
            self.unpriced + other.unpriced,
        )

    def at_least(self, other: Cost) -> Cost:
        """The larger of the two in each currency."""
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return Cost(*(max(pair) for pair in pairs))


FREE = Cost()
