from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests._trees import grown

from maxcode.evaluation import Comparison, Evaluation, Interval, Status
from maxcode.program import Program
from maxcode.tree import ROOT, Expansion, SearchTree, Step

_FAILED = Evaluation(Status.WRONG_ANSWER)


def _ok(speedup: float) -> Evaluation:
    return Evaluation(Status.OK, Interval(speedup, speedup, speedup))


_BASELINE = Step(ROOT, None, Program.of("baseline"), _ok(1.0))


def _tree(gamma: float = 1.0) -> SearchTree:
    return SearchTree(_BASELINE, gamma)


def _grow(tree: SearchTree, parent: int, *evaluations: Evaluation) -> list[int]:
    """One expansion with these verdicts on new programs; gives the ids of its steps."""
    number = tree.ask(Expansion(parent, len(evaluations)))
    ids = []
    for evaluation in evaluations:
        step_id = len(tree)
        program = Program.of(f"program {step_id}")
        tree.add(Step(step_id, parent, program, evaluation, number))
        ids.append(step_id)
    tree.close(number)
    return ids


# -- what can be read --------------------------------------------------------------------------


def test_steps_come_in_the_order_of_commitment() -> None:
    tree = _tree()
    assert _grow(tree, 0, _FAILED, _ok(2.0)) == [1, 2]
    assert _grow(tree, 2, _ok(3.0)) == [3]
    assert _grow(tree, 0, _FAILED) == [4]
    assert [step.id for step in tree] == [0, 1, 2, 3, 4]
    assert tree[3].parent == 2
    assert tree[3].reward == 3.0
    assert tree.children(0) == (1, 2, 4)
    assert tree.children(2) == (3,)
    assert [step.id for step in tree.recent_children(0, 2)] == [2, 4]
    assert [step.id for step in tree.recent_children(0, 9)] == [1, 2, 4]
    assert tree.recent_children(0, 0) == ()


@pytest.mark.parametrize("step_id", [-1, 3, 99])
def test_a_step_that_does_not_exist_is_named(step_id: int) -> None:
    tree = grown(enumerate([2.0, 3.0]))
    ways: list[Callable[[], object]] = [
        lambda: tree[step_id],
        lambda: tree.children(step_id),
        lambda: tree.path(step_id),
        lambda: tree.ask(Expansion(0, exemplars=(1, step_id))),
        lambda: tree.promote(step_id, Interval(2.0, 2.0, 2.0)),
    ]
    for way in ways:
        with pytest.raises(KeyError, match=f"steps 0 to 2, not {step_id}"):
            way()
    assert tree.expansions == 2
    assert tree.confirmed(step_id) is None
    assert tree.best is tree.root


def test_find_gives_the_first_step_with_a_program() -> None:
    tree = _tree()
    number = tree.ask(Expansion(0, 2))
    program = Program.of("twice")
    tree.add(Step(1, 0, program, _FAILED, number))
    tree.add(Step(2, 0, program, _FAILED, number, duplicate_of=1))
    assert tree.find(program.digest) is tree[1]
    assert tree.find(_BASELINE.program.digest) is tree.root
    assert tree.find("unknown") is None


@pytest.mark.parametrize("status", [Status.INFRASTRUCTURE, Status.INVALID])
def test_a_step_whose_program_was_not_judged_leaves_it_unknown(status: Status) -> None:
    tree = _tree()
    number = tree.ask(Expansion(0, 2))
    program = Program.of("unlucky")
    tree.add(Step(1, 0, program, Evaluation(status), number))
    assert tree.find(program.digest) is None
    tree.add(Step(2, 0, program, _ok(2.0), number))
    assert tree.find(program.digest) is tree[2]


# -- trajectories ------------------------------------------------------------------------------


def test_a_path_leads_from_the_baseline_to_the_step() -> None:
    tree = _tree(0.5)
    _grow(tree, 0, _FAILED, _ok(4.0))
    _grow(tree, 2, _FAILED, _ok(3.0))
    path = tree.path(4)
    assert [step.id for step in path.steps] == [0, 2, 4]
    assert path.gamma == 0.5
    assert path.rewards == (4.0, 3.0)
    assert path.best is tree[2]


# -- growing -----------------------------------------------------------------------------------


def test_expansions_are_pending_until_closed() -> None:
    tree = _tree()
    first, second = Expansion(0, 2), Expansion(0, 1, profile=True)
    assert (tree.ask(first), tree.ask(second)) == (0, 1)
    assert tree.pending == {0: first, 1: second}
    assert tree.expansions == 2
    tree.close(0)
    assert tree.pending == {1: second}
    assert tree.expansions == 2
    assert tree.ask(first) == 2
    with pytest.raises(KeyError):
        tree.close(0)


@pytest.mark.parametrize(
    "change",
    [{"id": 2}, {"id": 0}, {"parent": None}, {"parent": 1}, {"parent": -1}, {"expansion": 1}],
    ids=str,
)
def test_a_step_that_does_not_fit_is_refused(change: dict[str, Any]) -> None:
    tree = _tree()
    tree.ask(Expansion(0))
    fitting = Step(1, 0, Program.of("new"), _FAILED, expansion=0)
    with pytest.raises(ValueError, match="step"):
        tree.add(replace(fitting, **change))
    assert len(tree) == 1
    assert tree.children(0) == ()
    tree.add(fitting)
    assert tree[1] is fitting


# -- confirmation ------------------------------------------------------------------------------


def test_the_speedup_of_the_best_is_the_product_of_the_confirmed_ratios() -> None:
    tree = grown(enumerate([2.5, 4.5]))
    tree.promote(1, Interval(2.0, 1.8, 2.2))
    assert tree.best is tree[1]
    assert tree.best_speedup == Interval(2.0, 1.8, 2.2)
    tree.promote(2, Interval(1.5, 1.2, 1.6, 0.99))
    assert tree.best is tree[2]
    assert tree.best_speedup == Interval(2.0 * 1.5, 1.8 * 1.2, 2.2 * 1.6, 0.95 + 0.99 - 1)
    assert tree.incumbents == (
        (0, Interval(1.0, 1.0, 1.0)),
        (1, Interval(2.0, 1.8, 2.2)),
        (2, tree.best_speedup),
    )


def test_only_a_comparison_with_the_baseline_itself_confirms() -> None:
    tree = grown(enumerate([2.0, 3.0]))
    tree.promote(1, Interval(2.0, 1.8, 2.2))
    assert tree.confirmed(1) is None  # what chose it may not vouch for it
    tree.promote(2, Interval(1.5, 1.2, 1.6))
    assert tree.confirmed(2) is None
    tree.confirm(2, Comparison(Interval(2.9, 2.8, 3.0)))
    assert tree.confirmed(2) == Interval(2.9, 2.8, 3.0)
    assert tree.best_speedup.value == 3.0


def test_a_demoted_best_gives_way_to_the_one_before() -> None:
    tree = grown(enumerate([2.0, 3.0]))
    tree.promote(1, Interval(2.0, 1.8, 2.2))
    tree.promote(2, Interval(1.5, 1.2, 1.6))
    tree.demote()
    assert tree.best is tree[1]
    assert tree.best_speedup == Interval(2.0, 1.8, 2.2)
    tree.demote()
    tree.demote()
    assert tree.best is tree.root
    assert tree.best_speedup == Interval(1.0, 1.0, 1.0)
