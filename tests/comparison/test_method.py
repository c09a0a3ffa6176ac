"""Who takes part, under which name, and what is shown to its generator."""

from dataclasses import replace

import pytest

from maxcode.budget import Budget
from maxcode.comparison.method import Method, Plan, ablation
from maxcode.errors import InputError
from maxcode.observation import Observe
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.testing import (
    ScriptedCritic,
    ScriptedExecutor,
    ScriptedGenerator,
    toy_answers,
    toy_task,
    toy_verdict,
)

LOOP = Method("loop", MaxCodeLoop(4, 3))


def plan(*methods: Method, **given: object) -> Plan:
    arguments: dict[str, object] = {
        "tasks": [toy_task()],
        "generator": ScriptedGenerator(toy_answers),
        "executor": ScriptedExecutor(toy_verdict),
        "critic": None,
        "seeds": 2,
        "budget": Budget(evaluations=8),
    }
    return Plan.fair(methods, **{**arguments, **given})  # type: ignore[arg-type]


def test_best_of_n_is_added_with_the_generator_of_the_others() -> None:
    generator = ScriptedGenerator([])
    control, method = plan(LOOP, generator=generator).methods
    assert control.name == "best-of-n"
    assert isinstance(control.policy, BestOfN)
    assert control.generator is method.generator is generator
    assert control.switches == Observe.nothing()


@pytest.mark.parametrize(
    ("method", "is_control"),
    [
        (Method("mine", BestOfN(batch=4)), True),
        (Method("mine", BestOfN(2)), False),  # stops before the budget ends
        (Method("mine", BestOfN(), observe=Observe()), False),
    ],
)
def test_best_of_n_is_added_where_no_method_is_one(method: Method, is_control: bool) -> None:
    names = [one.name for one in plan(method).methods]
    assert names == (["mine"] if is_control else ["best-of-n", "mine"])


def test_another_method_may_not_be_called_best_of_n() -> None:
    with pytest.raises(InputError, match="call yours something else"):
        plan(Method("best-of-n", BestOfN(), observe=Observe()))


class Renamed(MaxCodeLoop):
    """Keeps its option under another name."""

    def __init__(self, branches: int) -> None:
        super().__init__(branches)


def test_a_policy_whose_options_cannot_be_read_has_to_say_them() -> None:
    with pytest.raises(InputError, match=r"'mine': runs with other options.*Renamed.branches=\?"):
        plan(Method("mine", Renamed(3)))
    whole = plan(Method("mine", Renamed(3), settings="branches=3"))
    assert "branches=3" in str(whole.recipe(list(whole.cells())[1]))


def test_cells_go_seed_by_seed_so_that_methods_follow_one_another() -> None:
    cells = [(cell.method.name, cell.seed) for cell in plan(LOOP).cells()]
    assert cells == [("best-of-n", 0), ("loop", 0), ("best-of-n", 1), ("loop", 1)]


def test_an_ablation_has_all_sixteen_combinations_by_name() -> None:
    names = [method.name for method in ablation(LOOP)]
    assert names[0] == "loop@none"
    assert names[-1] == "loop@all"
    assert "loop@trajectory,best" in names
    assert len({method.switches for method in ablation(LOOP)}) == len(set(names)) == 16


@pytest.mark.parametrize(
    "other",
    [
        Method("other", MaxCodeLoop(4, 3)),
        Method("loop", MaxCodeLoop(4, 4)),
        Method("loop", MaxCodeLoop(4, 3), observe=Observe.nothing()),
        Method("loop", MaxCodeLoop(4, 3), settings="temperature=0"),
    ],
)
def test_whatever_changes_a_method_changes_where_its_runs_are_found(other: Method) -> None:
    def recipe(method: Method) -> object:
        whole = plan(method)
        return whole.recipe(list(whole.cells())[1])

    assert recipe(LOOP) == recipe(Method("loop", MaxCodeLoop(4, 3)))
    assert recipe(LOOP) != recipe(other)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"budget": Budget()}, "must limit something"),
        ({"generator": None}, "method 'best-of-n' has no generator"),
        ({"tasks": []}, "no task to compare by"),
        ({"tasks": [toy_task(), toy_task()]}, "two tasks are called 'toy'"),
        ({"seeds": 0}, "no seed to compare by"),
        ({"seeds": [1, 1]}, "two seeds are called '1'"),
    ],
)
def test_what_would_not_be_fair_is_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        plan(LOOP, **given)


def test_methods_are_told_apart_by_their_names() -> None:
    with pytest.raises(InputError, match="two methods are called 'loop'"):
        plan(LOOP, LOOP)
    with pytest.raises(InputError, match="no method to compare"):
        plan()


class Marked(ScriptedGenerator):
    """Says itself what decides what it proposes."""

    identity = "answers of Tuesday"


def test_what_a_plug_in_says_of_itself_tells_its_runs_apart() -> None:
    one, other = (Method("loop", MaxCodeLoop(4), generator=Marked(toy_answers)) for _ in range(2))
    assert one.identity() == other.identity()
    assert "Marked(answers of Tuesday)" in one.identity()["generator"]


def test_runs_of_before_profiles_had_a_switch_are_found_by_what_they_showed() -> None:
    critic = ScriptedCritic()
    with_both = replace(LOOP, critic=critic, observe=Observe())
    assert with_both.identity()["observe"] == "trajectory,critique,best"
    assert "profile" not in with_both.identity()
    assert "profile" not in replace(LOOP, observe=Observe.nothing()).identity()
    hidden = replace(with_both, observe=Observe(profile=False))
    assert hidden.identity() == {**with_both.identity(), "profile": "hidden"}
    assert replace(LOOP, observe=Observe()).identity()["profile"] == "shown"
