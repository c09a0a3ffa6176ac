"""OwnInputs: inputs from a task's own generator, in place of a learned model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maxcode.fuzz.inputs import InputModel
    from maxcode.fuzz.json_values import JsonModel

_DRAWN = 16  # inputs, of which the one nearest in size is taken
_SEEDS = (1 << 31) - 1


class OwnInputs:
    """Inputs from a generator; in place of an :class:`~maxcode.fuzz.InputModel`.

    ``name`` is the generator's file, for messages; ``make`` returns an input for each seed, from 1
    to 2,147,483,647, all within the format by definition. ``learned``, the model of the tests,
    shrinks counterexamples.
    """

    known = True

    def __init__(
        self,
        name: str,
        make: Callable[[Sequence[int]], list[bytes]],
        learned: InputModel | JsonModel | None = None,
    ) -> None:
        self._name = name
        self._make = make
        self._learned = learned

    def describe(self) -> str:
        """Source of the inputs, in words."""
        return f"inputs made by {self._name}"

    def draw(self, seed: int, count: int, *, beyond: bool = False) -> list[bytes]:
        """Inputs of a seed; none ``beyond`` them, as the generator knows its limits."""
        first = 1 + seed * 1_000_003 % (_SEEDS - count)
        return [] if beyond else self._make(range(first, first + count))

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
        drawn = self.draw(seed, _DRAWN)
        return min(reversed(drawn), key=lambda data: abs(len(data) - len(example)))
