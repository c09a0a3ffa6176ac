"""Spaces that others published: the NK model, and recorded tuning spaces of kernels."""

from itertools import product
from random import Random

import pytest

from maxcode.cli.tasks import load_source
from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.landscape import NK, Landscape, LandscapeExecutor, Space, Tuning, recordings


@pytest.mark.parametrize(
    "space", [NK(seed=2, n=8, k=3), *(Tuning(name, 5) for name in recordings())]
)
def test_speedups_are_over_the_origin_and_end_at_the_peak(space: Space) -> None:
    assert not space.failure(space.origin)
    assert space.speedup(space.origin) == pytest.approx(1.0)
    assert space.speedup(space.peak) == pytest.approx(space.optimum)
    rng = Random(0)
    for _ in range(200):
        point = tuple(rng.randrange(space.choices_at(site)) for site in range(space.size))
        assert space.failure(point) or space.speedup(point) <= space.optimum + 1e-9


def test_nk_is_additive_at_k_0_and_not_beyond() -> None:
    def peaks(space: NK) -> int:
        """How many points no single change improves."""
        points = product(range(2), repeat=space.n)
        return sum(
            all(max(space.gains(p, site).values()) <= 1 for site in range(space.n)) for p in points
        )

    counts = [peaks(NK(seed=4, n=8, k=k)) for k in (0, 3, 7)]
    assert counts[0] == 1
    assert counts == sorted(counts)
    assert counts[-1] > 10  # 2^n / (n + 1) is expected, which is 28


def test_recorded_settings_that_do_not_work_fail() -> None:
    space = Tuning("convolution-a100", 1)
    found = {
        failure[1]
        for point in product(*(range(space.choices_at(site)) for site in range(space.size)))
        if (failure := space.failure(point))
    }
    assert found == {Status.BUILD_ERROR, Status.RUNTIME_ERROR}
    task = Landscape.on(space)
    excluded = task.write((*space.origin[:-1], 2))
    assert "there is no choice 2" in LandscapeExecutor().evaluate(task, excluded).feedback


@pytest.mark.parametrize("text", ["nk:seed=3,k=8", "tuning:kernel=convolution-w6600,seed=2", "nk"])
def test_a_space_is_named_on_the_command_line_as_it_names_itself(text: str) -> None:
    task = load_source(text)
    assert task.name == text
    assert load_source(task.name).digest == task.digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nk:k=16", "k in 0 to n - 1"),
        ("nk:n=40", "n lies in 2 to 20"),
        ("nk:optimum=1", "a speedup above 1"),
        ("tuning:kernel=gemm", "no kernel 'gemm' was recorded; known: convolution-a100"),
        ("tuning:noise=2", "noise must lie in"),
    ],
)
def test_nonsense_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load_source(text)
