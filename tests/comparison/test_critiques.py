"""What became of advice, read from journals."""

from collections.abc import Callable

import pytest

from maxcode.budget import Budget, Cost
from maxcode.comparison.critiques import (
    NO_CRITIC,
    CritiquedRun,
    critic_figures,
    read_critiques,
)
from maxcode.critics.controls import PlaceboCritic
from maxcode.interfaces import Critic
from maxcode.journal.journal import Journal
from maxcode.landscape import (
    Landscape,
    LandscapeCritic,
    LandscapeExecutor,
    LandscapeGenerator,
    Terrain,
)
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.maxcode import MaxCode
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.search.search import Search
from maxcode.testing import ScriptedCritic, ScriptedExecutor, ScriptedGenerator


def run(critic: Critic | None, seed: int = 0) -> CritiquedRun:
    """Of a search of a landscape."""
    with Journal.open(":memory:") as journal:
        search = Search(
            Landscape.on(Terrain(seed=seed, size=12)),
            generator=LandscapeGenerator(trajectory=0, critique=1, best=0, further=0),
            executor=LandscapeExecutor(),
            critic=critic,
            policy=MaxCodeLoop(k=4),
            budget=Budget(evaluations=24),
            journal=journal,
            options=Options(seed=seed, threads=1, fuzz=0, minimise=0.0),
        )
        search.run()
        return read_critiques(search.state.log)


@pytest.fixture(scope="module")
def runs() -> dict[str, CritiquedRun]:
    critics = {"right": LandscapeCritic(accuracy=1), "empty": PlaceboCritic(), "none": None}
    return {name: run(critic) for name, critic in critics.items()}


def test_advice_that_is_taken_is_followed_in_every_step(runs: dict[str, CritiquedRun]) -> None:
    (figures,) = critic_figures([runs["right"]])
    assert figures.critic == "LandscapeCritic"
    assert figures.followed is not None
    assert figures.followed.value == pytest.approx(1.0)
    assert figures.by_chance is not None
    assert figures.by_chance.value == pytest.approx(0.25, abs=0.1)
    assert figures.naming == figures.steps


def test_words_without_content_name_nothing_and_cost_and_gain_like_none(
    runs: dict[str, CritiquedRun],
) -> None:
    empty, none = critic_figures([runs["empty"], runs["none"]])
    assert (empty.critic, none.critic) == ("PlaceboCritic", NO_CRITIC)
    assert (empty.naming, empty.followed, empty.gained_followed) == (0, None, None)
    assert (none.critiques, empty.gained) == (0, none.gained)
    assert empty.gained is not None


def test_runs_count_alike_and_have_an_interval(runs: dict[str, CritiquedRun]) -> None:
    other = run(LandscapeCritic(accuracy=1), seed=1)
    (both,) = critic_figures([runs["right"], other])
    shares = [critic_figures([one])[0].gained for one in (runs["right"], other)]
    values = [share.value for share in shares if share]
    assert both.gained is not None
    assert both.gained.value == pytest.approx(sum(values) / 2)
    assert min(values) == pytest.approx(both.gained.low)
    assert both.runs == 2


PROGRAM = "alpha = 1\nbeta = alpha\ngamma = beta\ndelta = 4\n"


@pytest.mark.parametrize(
    ("advice", "changed", "followed"),
    [
        ("Line 2: do less.", "beta = alpha", True),
        ("Line 2: do less.", "delta = 4", False),
        ("Look at `gamma = beta`.", "gamma = beta", True),
        ("Look at `gamma = beta`.", "alpha = 1", False),
        ("Be faster.", "alpha = 1", None),
    ],
)
def test_a_step_follows_when_it_changes_a_line_that_is_named(
    toy: Callable[..., Search], advice: str, changed: str, followed: bool | None
) -> None:
    def answers(observation: Observation, n: int) -> list[str]:
        del n
        step = observation.step
        return [PROGRAM] if step.id == 0 else [step.program.code.replace(changed, "9")]

    search = toy(
        generator=ScriptedGenerator(answers),
        critic=ScriptedCritic(advice, cost=Cost(tokens=10)),
        executor=ScriptedExecutor(lambda _: 1.0),
        policy=MaxCode(k=1, d=2, then="stay"),
        budget=Budget(),
    )
    search.run()
    read = read_critiques(search.state.log)
    assert read.cost.tokens == 10 * read.critiques > 0
    assert [one.followed for one in read.steps][-1] is followed
