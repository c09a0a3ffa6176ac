"""How many calls are timed at once."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from maxcode.executors.kernel.feeder import Fed
from maxcode.executors.kernel.runs import Batch, TimedRun, Workload, batches_of
from maxcode.executors.kernel.worker.messages import Inputs, Outputs
from maxcode.tasks.kernel import Variant

USUAL = Fed((1.0,), (0.0,), (1.0,), (0.0,), (1.0,))
WORK = Workload(Variant(), Outputs({}, ()), calls=1, timeout=1.0)


def timed(batch: Batch, work: Workload, fed: Fed, beside: Sequence[float] = (0.0,)) -> TimedRun:
    """The last of the runs that had so much processor time besides their calls."""
    runs: list[TimedRun] = []
    for each in beside:
        runs.append(TimedRun(batch, work, fed, each, None, runs))
    return runs[-1]


@pytest.mark.parametrize(
    ("milliseconds", "size", "most", "calls", "batches"),
    [
        (0.02, 4096, 64, 64, 1),  # all of them are hardly a batch
        (0.8, 4096, 64, 16, 4),
        (10, 4096, 64, 2, 4),
        (20, 4096, 64, 1, 3),
        (500, 4096, 64, 1, 1),
        (10, 128 << 20, 64, 2, 1),  # no more fit into memory
        (10, 4096, 3, 2, 2),
    ],
)
def test_short_calls_are_timed_together_in_several_batches_of_a_round(
    milliseconds: float, size: int, most: int, calls: int, batches: int
) -> None:
    assert batches_of(milliseconds / 1e3, size, most) == (calls, batches)


def test_each_batch_is_timed_without_what_surrounded_its_own_calls() -> None:
    fed = Fed((5e-3,), (0.0,), (5e-3,), (0.0,), (5e-3,))
    for around in (1e-3, 3e-3):  # as beside other work
        batch = Batch(
            0, Inputs((), 0), [1], fed=replace(USUAL, empty=(around,), used_empty=(around,))
        )
        assert timed(batch, WORK, fed).seconds == pytest.approx(5e-3 - around)


def test_what_is_done_after_a_call_on_a_gpu_is_part_of_it_however_little() -> None:
    work = replace(WORK, on_device=True, leaving=1e-3)
    batch = Batch(0, Inputs((), 0), [1], fed=replace(USUAL, leaving=(8e-3,)))
    for leaving, late in ((9e-3, 0.0), (8e-3, 0.0), (9.5e-3, 0.5e-3)):
        fed = Fed((2e-3,), (0.0,), (0.0,), (0.0,), (2e-3,), leaving=(leaving,))
        run = timed(batch, work, fed)
        assert run.seconds == pytest.approx(2e-3 + late)


@pytest.mark.parametrize(
    ("beside", "hidden"),
    [
        ([6e-3], 0.0),  # as the reference, but for chance
        ([8e-3], 2e-3),
        ([0.0, 0.02], 4e-3),  # the system counts in hundredths of a second what has ended
    ],
)
def test_processor_time_besides_calls_counts_beyond_what_is_usual(
    beside: list[float], hidden: float
) -> None:
    work = replace(WORK, outside=1e-3)
    batch = Batch(0, Inputs((), 0), [1], fed=USUAL, idle=4e-3)
    fed = Fed((1e-3,), (0.0,), (1e-3,), (0.0,), (1e-3,))
    assert timed(batch, work, fed, beside).seconds == pytest.approx(1e-3 + hidden)
