"""Inputs of no known form: the examples, changed in a few places."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

_MAX_SIZE = 64 << 10  # bytes


def mutated(examples: Sequence[bytes]) -> SearchStrategy[bytes]:
    """Examples with up to four changes: pieces removed, doubled or moved, single bytes replaced."""
    shortest_first = sorted((example[:_MAX_SIZE] for example in examples), key=len)
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
        return data[:_MAX_SIZE]

    return draw_input()
