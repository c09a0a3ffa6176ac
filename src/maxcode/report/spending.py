"""Where the time and money of a run went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maxcode.exporting.rows import CallRow, RunRow
from maxcode.report.history import History
from maxcode.report.plain import plain


@dataclass(frozen=True, slots=True)
class Spent:
    """What was paid to a model in a role. ``role`` is "other" for what no answer accounts for.

    The price of ``unpriced`` tokens is not known, and not among the dollars.
    """

    role: str
    model: str
    answers: int
    tokens: int
    unpriced: int
    dollars: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Spending:
    """Where time and money went.

    ``seconds`` by kind of work adds up what ran at the same time, so it may be more than ``wall``;
    what it falls short of ``wall`` is ``waiting``: work waits for its turn to be timed, and of
    profiles the journal has no seconds.
    """

    wall: float
    seconds: dict[str, float]
    models: tuple[Spent, ...]

    @property
    def waiting(self) -> float:
        """Seconds on the clock that no work accounts for."""
        return max(0.0, self.wall - sum(self.seconds.values()))

    @classmethod
    def of(cls, history: History, row: RunRow) -> Spending:
        """That of a run."""
        groups: dict[tuple[str, str], list[CallRow]] = {}
        for call in history.calls:
            groups.setdefault((call.role, call.model), []).append(call)
        models = [_spent(role, model, calls) for (role, model), calls in sorted(groups.items())]
        tokens = row.tokens - sum(one.tokens for one in models)
        rest = row.dollars - sum(one.dollars for one in models)
        if tokens > 0 or rest > 1e-9:
            unpriced = row.unpriced_tokens - sum(one.unpriced for one in models)
            models.append(
                Spent("other", "", 0, max(0, tokens), max(0, unpriced), max(0.0, rest), 0.0)
            )
        seconds = {kind: spent for kind, spent in history.seconds.items() if spent > 0}
        return cls(row.seconds, seconds, tuple(models))


def _spent(role: str, model: str, calls: Sequence[CallRow]) -> Spent:
    paid = [call for call in calls if not call.reused]
    return Spent(
        role=role,
        model=plain(model),
        answers=sum(not call.problem for call in calls),
        tokens=sum(map(_tokens, paid)),
        unpriced=sum(_tokens(call) for call in paid if call.dollars is None),
        dollars=sum(call.dollars or 0.0 for call in paid),
        seconds=sum(call.seconds for call in paid),
    )


def _tokens(call: CallRow) -> int:
    return call.input_tokens + call.cached_tokens + call.written_tokens + call.output_tokens
