"""OwnInputs: inputs from a task's own generator, in place of a learned model."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from maxcode.errors import InputError

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from maxcode.fuzz.inputs import InputModel
    from maxcode.fuzz.json_values import JsonModel

_DRAWN = 16  # inputs, of which the one nearest in size is taken
_SEEDS = (1 << 31) - 1


class OwnInputs:
    """Inputs from a generator; in place of an :class:`~maxcode.fuzz.InputModel`.

    ``name`` is the generator's file, for messages; ``make`` returns a number of inputs of a seed,
    all within the format by definition. ``learned``, the model of the tests, shrinks
    counterexamples.
    """

    known = True

    def __init__(
        self,
        name: str,
        make: Callable[[int, int], list[bytes]],
        learned: InputModel | JsonModel | None = None,
    ) -> None:
        self._name = name
        self._make = make
        self._learned = learned

    @classmethod
    def of_seeds(
        cls,
        name: str,
        make: Callable[[Sequence[int]], list[bytes]],
        learned: InputModel | JsonModel | None = None,
    ) -> OwnInputs:
        """Inputs from a program, one of each seed from 1 to 2,147,483,647."""

        def drawn(seed: int, count: int) -> list[bytes]:
            first = 1 + seed * 1_000_003 % (_SEEDS - count)
            return make(range(first, first + count))

        return cls(name, drawn, learned)

    def describe(self) -> str:
        """Source of the inputs, in words."""
        return f"inputs made by {self._name}"

    def draw(self, seed: int, count: int, *, beyond: bool = False) -> list[bytes]:
        """Inputs of a seed; none ``beyond`` them, as the generator knows its limits."""
        return [] if beyond else self._make(seed, count)

    def beyond(self, data: bytes) -> str:  # noqa: ARG002
        """Empty: every input of the generator is allowed."""
        return ""

    def smaller(self, data: bytes) -> Iterator[bytes]:
        """Smaller inputs within the format and ranges of the tests."""
        if self._learned is not None:
            yield from (one for one in self._learned.smaller(data) if not self._learned.beyond(one))

    def like(
        self,
        example: bytes,
        *,
        seed: int,
        wide: bool = False,  # noqa: ARG002
    ) -> bytes:
        """The input nearest to the example's size, of 16 drawn with ``seed``.

        ``wide`` has no meaning here: values are for the generator to choose.
        """
        drawn = self._make(seed, _DRAWN)
        if not drawn:
            raise InputError(f"{self._name}: `inputs` draws nothing")
        return min(reversed(drawn), key=lambda data: abs(len(data) - len(example)))


def drawn_from(strategy: SearchStrategy[bytes]) -> Callable[[int, int], list[bytes]]:
    """Function for drawing a number of inputs of a seed from a strategy of Hypothesis."""

    def draw(number: int, count: int) -> list[bytes]:
        # Hypothesis takes long to import
        from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings  # noqa: PLC0415
        from hypothesis.configuration import set_hypothesis_home_dir  # noqa: PLC0415

        drawn: list[bytes] = []

        @seed(number)
        @settings(
            max_examples=count,
            phases=[Phase.generate],
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
            print_blob=False,
        )
        @given(strategy)
        def keep(data: bytes) -> None:
            drawn.append(data)

        with tempfile.TemporaryDirectory(prefix="hypothesis-") as home:
            set_hypothesis_home_dir(home)  # it writes files, to where the user works otherwise
            try:
                keep()
            finally:
                set_hypothesis_home_dir(None)
        return drawn

    return draw


def strategy_of_text(text: str, name: str) -> SearchStrategy[bytes]:
    """The strategy ``inputs`` in a user's own, trusted Python file.

    It may draw str, taken as UTF-8, or bytes. Raises :class:`~maxcode.errors.InputError` when the
    text cannot be executed, or has no such strategy. ``name`` is that of the file.
    """
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
