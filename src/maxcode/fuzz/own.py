"""OwnInputs: inputs that a generator of the task's own makes, in place of a learned model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxcode.errors import InputError
from maxcode.files import read_text

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_DRAWN = 16  # inputs, of which the one nearest in size is taken
_POOL, _BLOCK = 1000, 50  # inputs that a program makes for a comparison, and at a time
_SEEDS = (1 << 31) - 1 - _DRAWN


class OwnInputs:
    """Inputs that a generator makes; in place of an :class:`~maxcode.fuzz.InputModel`.

    ``name`` is the generator's file, for messages, and ``draw`` gives the inputs of a seed, as many
    as it is asked for. Drawing raises :class:`~maxcode.errors.InputError` when the generator fails.
    """

    def __init__(
        self, name: str, strategy: SearchStrategy[bytes], draw: Callable[[int, int], list[bytes]]
    ) -> None:
        self._name = name
        self._strategy = strategy
        self._draw = draw

    @classmethod
    def of_strategy(cls, name: str, strategy: SearchStrategy[bytes]) -> OwnInputs:
        """What a strategy of Hypothesis draws."""
        from maxcode.fuzz.explore import explore  # noqa: PLC0415 - Hypothesis takes long to import

        def draw(seed: int, count: int) -> list[bytes]:
            drawn: list[bytes] = []

            def keep(data: bytes) -> bool:
                drawn.append(data)
                return False

            explore(strategy, seed, count, keep)
            return drawn

        return cls(name, strategy, draw)

    @classmethod
    def of_seeds(cls, name: str, make: Callable[[Sequence[int]], list[bytes]]) -> OwnInputs:
        """What a program makes, an input of each seed, a number from 1 to 2,147,483,647.

        The strategy chooses among the first thousand, made in blocks: a process for each takes
        less time in company.
        """
        from hypothesis import strategies as st  # noqa: PLC0415 - takes long to import

        @cache
        def block(number: int) -> list[bytes]:
            first = 1 + _BLOCK * number
            return make(range(first, first + _BLOCK))

        def draw(seed: int, count: int) -> list[bytes]:
            first = 1 + _POOL + seed * count % (_SEEDS - _POOL)
            return make(range(first, first + count))

        pool = st.integers(0, _POOL - 1).map(lambda n: block(n // _BLOCK)[n % _BLOCK])
        return cls(name, pool, draw)

    def describe(self) -> str:
        """Where the inputs come from, in a few words."""
        return f"inputs made by {self._name}"

    def strategy(self, scale: float = 1.0) -> SearchStrategy[bytes]:  # noqa: ARG002
        """What the generator draws, whatever ``scale`` is: it knows its limits itself."""
        return self._strategy

    def like(
        self,
        example: bytes,
        *,
        seed: int,
        factor: float = 1.0,
        distinct: bool = False,  # noqa: ARG002
        wide: bool = False,  # noqa: ARG002
    ) -> bytes:
        """Of 16 inputs that ``seed`` draws, the one nearest to ``factor`` times the example's size.

        ``distinct`` and ``wide`` have no meaning here: values are for the generator to choose.
        """
        drawn = self._draw(seed, _DRAWN)
        if not drawn:
            raise InputError(f"{self._name}: `inputs` draws nothing")
        wanted = factor * len(example)
        return min(drawn, key=lambda data: abs(len(data) - wanted))


def load_strategy(path: Path) -> SearchStrategy[bytes]:
    """The strategy ``inputs`` of a Python file, which a user wrote and which is trusted.

    It may draw str, taken as UTF-8, or bytes. Raises :class:`~maxcode.errors.InputError` when the
    file cannot be read or executed, or has no such strategy.
    """
    return strategy_of_text(read_text(path), str(path))


def strategy_of_text(text: str, name: str) -> SearchStrategy[bytes]:
    """As :func:`load_strategy`, of the text of a file called ``name``."""
    from hypothesis.strategies import SearchStrategy  # noqa: PLC0415 - takes long to import

    values: dict[str, Any] = {"__name__": "inputs", "__file__": name}
    try:
        exec(compile(text, name, "exec"), values)  # noqa: S102 - the user's own, as said above
    except Exception as error:
        raise InputError(f"{name}: cannot be executed: {type(error).__name__}: {error}") from error
    inputs = values.get("inputs")
    if not isinstance(inputs, SearchStrategy):
        raise InputError(
            f"{name}: it has to define `inputs`, a Hypothesis strategy of str or bytes, "
            f"such as `inputs = st.integers(1, 100).map(str)`"
        )

    def encoded(value: Any) -> bytes:
        if isinstance(value, bytes):
            return value
        if isinstance(value, str):
            return value.encode()
        raise InputError(f"{name}: `inputs` drew {type(value).__name__}, not str or bytes")

    return inputs.map(encoded)
