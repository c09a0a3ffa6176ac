"""Recorded tuning spaces of kernels."""

from itertools import product
from random import Random

import pytest

from maxcode.cli.tasks import load_source
from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.landscape import Landscape, LandscapeExecutor, Space, Tuning, recordings


@pytest.mark.parametrize("space", [Tuning(name, 5) for name in recordings()])
def test_speedups_are_over_the_origin_and_end_at_the_peak(space: Space) -> None:
    assert not space.failure(space.origin)
    assert space.speedup(space.origin) == pytest.approx(1.0)
    rng = Random(0)
    for _ in range(200):
        point = tuple(map(rng.randrange, space.shape))
        assert space.failure(point) or space.speedup(point) <= space.speedup(space.peak)


def test_recorded_settings_that_do_not_work_fail() -> None:
    space = Tuning("convolution-a100", 1)
    found = {
        failure[1]
        for point in product(*map(range, space.shape))
        if (failure := space.failure(point))
    }
    assert found == {Status.BUILD_ERROR, Status.RUNTIME_ERROR}
    task = Landscape.on(space)
    excluded = task.write((*space.origin[:-1], 2))
    assert "error: expected 'site" in LandscapeExecutor().evaluate(task, excluded).feedback


@pytest.mark.parametrize("text", ["tuning:kernel=convolution-w6600,seed=2"])
def test_a_space_is_named_on_the_command_line_as_it_names_itself(text: str) -> None:
    task = load_source(text)
    assert task.name == text
    assert load_source(task.name).digest == task.digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tuning:kernel=gemm", "no kernel 'gemm' was recorded; known: convolution-a100"),
        ("tuning:noise=2", "noise must lie in"),
    ],
)
def test_nonsense_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load_source(text)
