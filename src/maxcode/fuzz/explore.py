"""The one place where Hypothesis runs: draws inputs, and shrinks one that shows a difference."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.internal.constants_ast import Constants
from hypothesis.strategies import SearchStrategy

_BACKEND = "maxcode"
_SHORT = 1000


class _Provider(HypothesisProvider):
    """Hypothesis's own provider, without constants from the source of whatever is imported.

    With them the same seed would draw other inputs in another process, and a folder
    ``.hypothesis`` would appear where the user works.
    """

    _local_constants = Constants()

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        """Even in short ranges, which are choices between shapes, and every other time in others.

        Hypothesis's own draws are mostly small.
        """
        chance = None if weights else self._random
        if chance is not None and min_value is not None and max_value is not None:
            even = max_value - min_value < _SHORT or chance.random() < 0.5
            if even:
                return chance.randint(min_value, max_value)
        return super().draw_integer(
            min_value, max_value, weights=weights, shrink_towards=shrink_towards
        )


class _FoundError(Exception):
    """The visited input is one that was looked for."""


class _StopError(BaseException):
    """No more inputs are wanted; not an Exception, which Hypothesis would take for a finding."""


def explore(
    strategy: SearchStrategy[bytes],
    number: int,
    count: int,
    visit: Callable[[bytes], bool | None],
    *,
    shrink: bool = False,
) -> None:
    """Call ``visit`` with ``count`` inputs; the same ``number`` (the seed) draws the same ones.

    It returns whether the input is one that is looked for; then, with ``shrink``, smaller inputs
    follow as long as they are found too, otherwise nothing. It returns None to end at once. It has
    to answer the same whenever it is called with the same input.
    """
    AVAILABLE_PROVIDERS[_BACKEND] = _Provider
    phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]

    @seed(number)
    @settings(
        max_examples=count,
        phases=phases,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        print_blob=False,
        backend=_BACKEND,
    )
    @given(strategy)
    def run(data: bytes) -> None:
        found = visit(data)
        if found is None:
            raise _StopError
        if found:
            raise _FoundError

    try:
        run()
    except (_FoundError, _StopError):
        return
