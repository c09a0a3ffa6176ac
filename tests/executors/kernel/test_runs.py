"""How many calls are timed at once."""

import pytest

from maxcode.executors.kernel.runs import batches_of


@pytest.mark.parametrize(
    ("milliseconds", "size", "most", "calls", "batches"),
    [
        (0.02, 4096, 1000, 64, 1),  # all of them are hardly a batch
        (0.8, 4096, 1000, 16, 4),
        (10, 4096, 1000, 2, 4),
        (20, 4096, 1000, 1, 3),
        (500, 4096, 1000, 1, 1),
        (10, 128 << 20, 1000, 2, 1),  # no more fit into memory
        (10, 4096, 3, 2, 2),
        (10, 4096, 0, 1, 1),
    ],
)
def test_short_calls_are_timed_together_and_in_several_batches_of_a_round(
    milliseconds: float, size: int, most: int, calls: int, batches: int
) -> None:
    assert batches_of(milliseconds / 1e3, size, most) == (calls, batches)
