"""Searches find more the more feedback is worth."""

from statistics import median

import pytest

from maxcode.budget import Budget
from maxcode.interfaces import SearchPolicy
from maxcode.landscape import (
    Landscape,
    LandscapeCritic,
    LandscapeExecutor,
    LandscapeGenerator,
    Terrain,
)
from maxcode.observation import Observe
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.search.search import Search

pytestmark = pytest.mark.slow

SEEDS = range(12)


def search(
    seed: int, observe: Observe, policy: SearchPolicy, *, threads: int = 1, **worth: float
) -> Search:
    made = Search(
        Landscape.on(Terrain(seed)),
        generator=LandscapeGenerator(**{"trajectory": 0, "critique": 0, "best": 0, **worth}),
        executor=LandscapeExecutor(),
        critic=LandscapeCritic(),
        policy=policy,
        budget=Budget(evaluations=48),
        options=Options(seed=seed, observe=observe, threads=threads, in_flight=2),
    )
    made.run()
    return made


def found(seed: int, observe: Observe, policy: SearchPolicy, **worth: float) -> float:
    """The true speedup of what is confirmed as best."""
    done = search(seed, observe, policy, threads=1, **worth)
    task = done.task
    assert isinstance(task, Landscape)
    return task.speedup(done.state.tree.best.program)


@pytest.mark.parametrize(
    ("switch", "policy"),
    [
        ("trajectory", MaxCodeLoop(k=8)),
        ("critique", MaxCodeLoop(k=8)),
        ("best", BestOfN()),  # here the best is not the step that is improved
    ],
)
def test_each_kind_of_feedback_helps_as_it_is_worth(switch: str, policy: SearchPolicy) -> None:
    shown = Observe.parse(switch)
    worthless, precious = (
        [found(seed, shown, policy, **{switch: worth}) for seed in SEEDS] for worth in (0.0, 1.0)
    )
    assert median(precious) > 1.05 * median(worthless)


def programs(made: Search) -> list[str]:
    return [step.program.digest for step in made.state.tree]


def test_switches_make_no_difference_when_feedback_is_worth_nothing() -> None:
    policy = MaxCodeLoop(k=8)
    switches = ("none", "trajectory", "critique", "best", "all")
    trees = [programs(search(0, Observe.parse(shown), policy)) for shown in switches]
    assert trees == [trees[0]] * len(switches)


def test_the_same_seed_finds_the_same_with_any_number_of_threads() -> None:
    worth = {"trajectory": 0.5, "critique": 0.5, "best": 0.5}
    one = search(1, Observe(), BestOfN(), threads=1, **worth)
    eight = search(1, Observe(), BestOfN(), threads=8, **worth)
    assert programs(one) == programs(eight)
