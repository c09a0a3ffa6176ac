from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from maxcode.budget import Budget
from maxcode.errors import InputError
from maxcode.interfaces import RewardToGo
from maxcode.journal.journal import Journal, RunLog
from maxcode.landscape import Landscape, LandscapeExecutor, LandscapeGenerator, Terrain
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.reward_to_go.building import Recipe, build
from maxcode.reward_to_go.censoring import DONORS, Donors
from maxcode.reward_to_go.dataset import Dataset
from maxcode.reward_to_go.decisions import decisions
from maxcode.reward_to_go.feature_model import FeatureRewardToGo
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row, expected_target, rows
from maxcode.search.search import Search
from maxcode.tree import Value

SUBTREE = Objective(Bins((0.0, 0.9, 1.2, 2.0)), over="subtree")
IMPUTED = replace(SUBTREE, over="imputed")


def test_the_target_is_the_best_of_the_subtree(planned: RunLog) -> None:
    """Step 3, of 2.0, grew from step 1; steps 2, 4 and 6 have no descendants, and 4 failed."""
    found = {row.step: row for one in decisions(planned) for row in rows(one, SUBTREE)}
    assert {step: row.target for step, row in found.items()} == {1: 2, 2: 0.5, 3: 2, 4: 1.5, 6: 2}
    assert all(row.weight == 1 for row in found.values())
    assert {step for step, row in found.items() if row.censored} == {2, 6}


def test_a_model_knows_the_policy_and_what_is_left(planned: RunLog) -> None:
    """Of 20 evaluations none, 2 and 4 are spent: step 5 repeats a program."""
    found = list(decisions(planned))
    assert [one.observation.left for one in found] == [1.0, 0.9, 0.8]
    assert {one.observation.policy for one in found} == {"_Planned"}
    (first, *_), *_ = (list(rows(one, SUBTREE)) for one in found[1:])
    assert (first.features["left"], first.features["bounded"]) == (0.9, 1.0)
    assert sum(value for name, value in first.features.items() if name.startswith("policy_")) == 1
    assert "Evaluations left: 90%\n\nSearch: _Planned\n" in first.prompt
    plain = next(rows(found[1], Objective()))
    assert not {"left", "bounded"} & set(plain.features)
    assert "Evaluations left" not in plain.prompt


class Remembers(RewardToGo):
    def __init__(self) -> None:
        self.shown: dict[int, tuple[str, float | None]] = {}

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        self.shown[observation.number] = observation.policy, observation.left
        return [Value(observation.path.u)] * len(programs)


@pytest.mark.slow
@pytest.mark.parametrize("in_flight", [1, 3])
def test_what_is_shown_in_a_search_is_what_is_learned_from(
    journal: Journal, in_flight: int
) -> None:
    model = Remembers()
    search = Search(
        Landscape.on(Terrain(1, size=6)),
        generator=LandscapeGenerator(),
        executor=LandscapeExecutor(),
        policy=MaxCodeLoop(k=2),
        reward_to_go=model,
        budget=Budget(evaluations=12),
        options=Options(threads=1, propose=2, run=1, in_flight=in_flight),
        journal=journal,
    )
    search.run()
    learned = {
        one.observation.number: (one.observation.policy, one.observation.left)
        for one in decisions(journal.run(search.run_id))
    }
    assert len({left for _, left in learned.values()}) > 2
    assert {number: model.shown[number] for number in learned} == learned


def test_what_was_never_grown_has_the_gains_of_what_was() -> None:
    def row(reward: float, target: float, *, censored: bool) -> Row:
        return Row(
            task="t", task_digest="d", run="r", expansion=0, step=1, prompt="", candidate="",
            features={}, u=1.0, reward=reward, target=target, bin=SUBTREE.bins.index(target),
            weight=1.0, explored=True, censored=censored,
        )  # fmt: skip

    grown = [row(1.5, 1.5, censored=False)] * (DONORS // 2)
    grown += [row(1.5, 3.0, censored=False)] * (DONORS // 2)
    far = [row(0.1, 5.0, censored=False)] * DONORS  # unlike the ones below
    failed = row(0.0, 1.0, censored=False)
    donors = Donors.of([*grown, *far, failed])
    found = list(donors.imputed(row(1.4, 1.4, censored=True), SUBTREE.bins))
    assert [(one.target, one.bin, one.weight) for one in found] == [(1.4, 3, 0.5), (2.8, 4, 0.5)]
    assert list(donors.imputed(grown[0], SUBTREE.bins)) == [grown[0]]
    alone = row(1.4, 1.4, censored=True)
    assert list(Donors.of([failed]).imputed(alone, SUBTREE.bins)) == [alone]


@pytest.mark.slow
def test_a_dataset_of_subtrees(family: Path, logs: Callable[[], Iterator[RunLog]]) -> None:
    out = family.parent / "subtrees"
    card = build(out, ["runs.db"], logs(), Recipe(IMPUTED))
    data = Dataset(out)
    assert data.card.objective.over == "imputed"
    seen = {
        (row.run, row.step): row.target
        for log in logs()
        for one in decisions(log)
        for row in rows(one, SUBTREE)
    }
    by_candidate: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in data.rows("train"):
        by_candidate[row.run, row.step].append(row)
    imputed = 0
    for key, own in by_candidate.items():
        assert sum(row.weight for row in own) == pytest.approx(1)
        assert expected_target(own) >= seen[key] - 1e-9
        imputed += expected_target(own) > seen[key] + 1e-9
    assert 0 < imputed <= card.censored == sum(own[0].censored for own in by_candidate.values())
    assert card.train.candidates == len(by_candidate)
    assert all(row.target == seen[row.run, row.step] for row in data.rows("held_out"))
    assert f"{card.censored} candidates to train on passed" in (out / "README.md").read_text()
    model = FeatureRewardToGo.train(data.rows("train"), card.objective)
    assert "left" in model.saved.features
    assert model.saved.objective.over == "imputed"
    seen_alone = build(family.parent / "seen", ["runs.db"], logs(), Recipe(SUBTREE))
    assert seen_alone.censored == card.censored
    found = Dataset(family.parent / "seen").rows("train")
    assert all(row.target == seen[row.run, row.step] for row in found)


def test_wrong_targets() -> None:
    unknown: Any = "leaves"
    with pytest.raises(InputError, match="known: paths, subtree, imputed"):
        Objective(over=unknown)
    with pytest.raises(InputError, match="best reward, not a sum"):
        Objective(returns="sum", over="subtree")
