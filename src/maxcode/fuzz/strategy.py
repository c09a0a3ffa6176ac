"""Strategies of Hypothesis: inputs of a known structure, and changed examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from maxcode.fuzz.drawing import MAX_SIZE, Source, TooLargeError


class HypothesisSource(Source):
    """Choices that Hypothesis makes and shrinks."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        """One choice; it shrinks towards 0, or to the end nearest to it."""
        return self._draw(st.integers(low, high)) if low < high else low

    def integers(self, number: int, low: int, high: int) -> list[int]:
        """A choice each, or one for all where they are many."""
        if low >= high:
            return [low] * number
        source = self.for_many(number)
        if source is not self:
            return source.integers(number, low, high)
        one = st.integers(low, high)
        return [self._draw(one) for _ in range(number)]


def strategy_of(draw_with: Callable[[Source], bytes]) -> SearchStrategy[bytes]:
    """The strategy of a function that makes an input of choices."""

    @st.composite
    def draw_input(draw: DrawFn) -> bytes:
        try:
            return draw_with(HypothesisSource(draw))
        except TooLargeError:
            reject()

    return draw_input()


def mutated(examples: Sequence[bytes]) -> SearchStrategy[bytes]:
    """Examples with up to four changes: pieces removed, doubled or moved, single bytes replaced."""
    shortest_first = sorted((example[:MAX_SIZE] for example in examples), key=len)
    seen = sorted({byte for example in shortest_first for byte in example}) or [0]

    @st.composite
    def draw_input(draw: DrawFn) -> bytes:
        data = draw(st.sampled_from(shortest_first))
        for _ in range(draw(st.integers(0, 4))):
            start, length = draw(st.integers(0, len(data))), draw(st.integers(0, 16))
            before, piece, after = (
                data[:start],
                data[start : start + length],
                data[start + length :],
            )
            change = draw(st.sampled_from(["remove", "replace", "double", "move"]))
            if change == "remove":
                data = before + after
            elif change == "double":
                data = before + piece + piece + after
            elif change == "move":
                data = piece + before + after
            else:
                new = bytes(draw(st.lists(st.sampled_from(seen), min_size=1, max_size=4)))
                data = before + new + data[start + len(new) :]
        return data[:MAX_SIZE]

    return draw_input()
