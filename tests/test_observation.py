import pytest
from tests._trees import add, grown

from maxcode.errors import InputError
from maxcode.evaluation import Critique, Interval, Profile, Status
from maxcode.observation import Observation, Observe, observe
from maxcode.testing import sample_evaluation, toy_task
from maxcode.tree import ROOT, Expansion, SearchTree, Step

TASK = toy_task()
ALL = Observe()


def tree_of(*parents: int, best: int = ROOT) -> SearchTree:
    """Step ``i + 1`` grows from ``parents[i]``."""
    tree = grown((parent, 1.0) for parent in parents)
    if best:
        tree.promote(best, Interval(2.0, 1.9, 2.1))
    return tree


def look(
    tree: SearchTree, expansion: Expansion, switches: Observe = ALL, attempts: int = 16
) -> Observation:
    return observe(tree, TASK, tree.ask(expansion), seed=7, switches=switches, attempts=attempts)


def ids(steps: tuple[Step, ...]) -> list[int]:
    return [step.id for step in steps]


def test_everything_is_shown_with_all_switches_on() -> None:
    tree = tree_of(0, 1, 0, 1, 2, 2, best=3)
    seen = look(tree, Expansion(2, exemplars=(4,)))
    assert seen.trajectory is not None
    assert (seen.step.id, ids(seen.trajectory.steps)) == (2, [0, 1, 2])
    assert ids(seen.attempts) == [3, 4, 5, 6]
    assert seen.best is not None
    assert (seen.best.id, ids(seen.exemplars)) == (3, [4])
    assert (seen.task, seen.seed, seen.number) == (TASK, 7, tree.expansions - 1)
    assert ids(seen.shown) == [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("switches", "shown"),
    [
        (Observe(), [0, 1, 2, 3]),
        (Observe(best=False), [0, 1, 2]),
        (Observe(trajectory=False), [1, 3]),
        (Observe.nothing(), [1]),
    ],
)
def test_each_switch_hides_its_part(switches: Observe, shown: list[int]) -> None:
    tree = tree_of(0, 0, 2, best=3)
    assert ids(look(tree, Expansion(1), switches).shown) == shown


def test_without_critiques_none_is_shown() -> None:
    tree = tree_of(0, 1)
    for step in tree:
        tree.annotate(step.id, critique=Critique("slow"), profile=Profile("hot"))
    with_them = look(tree, Expansion(1)).shown
    without = look(tree, Expansion(1), Observe(critique=False)).shown
    assert [bool(step.critique) for step in with_them] == [True] * 3
    assert [bool(step.critique) for step in without] == [False] * 3
    assert all(step.profile for step in without)


def test_steps_on_which_the_harness_failed_are_not_shown() -> None:
    tree = tree_of(0)
    add(tree, ROOT, 0.0, evaluation=sample_evaluation(Status.INFRASTRUCTURE))
    add(tree, ROOT, 1.0)
    assert ids(look(tree, Expansion(ROOT)).attempts) == [1, 3]


def test_it_shows_the_tree_as_it_was_when_asked_for() -> None:
    tree = tree_of(0, 0, best=1)
    number = tree.ask(Expansion(ROOT))
    before = observe(tree, TASK, number, seed=1, switches=ALL, attempts=16)
    add(tree, ROOT, 1.0)
    tree.promote(3, Interval(2.0, 1.9, 2.1))
    after = observe(tree, TASK, number, seed=1, switches=ALL, attempts=16)
    assert after == before
    assert tree[3].program not in after.seen
    assert tree[2].program in after.seen
    assert tree[3].program in look(tree, Expansion(ROOT)).seen


def test_notes_are_written_onto_every_place_where_a_step_is_shown() -> None:
    tree = tree_of(0, 1, best=1)
    seen = look(tree, Expansion(1, exemplars=(1,)))
    noted = seen.annotated({1: (Profile("hot"), Critique("slow"))})
    assert noted.trajectory is not None
    assert noted.best is not None
    places = [noted.step, noted.trajectory.steps[1], noted.best, *noted.exemplars]
    assert [step.critique for step in places] == [Critique("slow")] * 4
    assert [step.profile for step in places] == [Profile("hot")] * 4
    assert noted.trajectory.steps[0].critique is None
    assert seen.step.critique is None


@pytest.mark.parametrize(
    ("text", "observe"),
    [
        ("all", Observe()),
        ("none", Observe.nothing()),
        ("trajectory, best", Observe(critique=False, profile=False)),
    ],
)
def test_switches_from_text(text: str, observe: Observe) -> None:
    assert Observe.parse(text) == observe
    assert Observe.parse("none" if str(observe) == "none" else str(observe)) == observe


@pytest.mark.parametrize("text", ["", "best,worst", "all,best"])
def test_unknown_switches_are_refused_with_the_known_ones(text: str) -> None:
    with pytest.raises(InputError, match="known: trajectory, critique, best"):
        Observe.parse(text)
