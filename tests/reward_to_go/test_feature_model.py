import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests._later import Later

from maxcode.errors import InputError
from maxcode.interfaces import RewardToGo
from maxcode.journal.journal import Journal
from maxcode.ranking import Agreement
from maxcode.reward_to_go.decisions import Decision, decisions
from maxcode.reward_to_go.feature_model import FeatureRewardToGo
from maxcode.reward_to_go.loading import load
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row, rows
from maxcode.reward_to_go.saved import Saved
from maxcode.testing import RewardToGoContract

pytestmark = pytest.mark.slow

ensemble: Any = Later("sklearn.ensemble")
skops_io: Any = Later("skops.io")
BINS = Bins((0.0, 0.9, 1.2, 2.0))
HELD_OUT = "landscape:seed=4,"


@dataclass(frozen=True)
class Learned:
    rows: list[Row]
    decisions: list[Decision]  # of a task that was not learned from
    folder: Path
    model: FeatureRewardToGo


@pytest.fixture(scope="module")
def learned(family: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Learned]:
    folder = tmp_path_factory.mktemp("model")
    with Journal.open(family, create=False) as journal:
        found = [one for i in sorted(journal.run_ids()) for one in decisions(journal.run(i))]
        held = [one for one in found if one.observation.task.name.startswith(HELD_OUT)]
        learning = [row for one in found if one not in held for row in rows(one, Objective(BINS))]
        model = FeatureRewardToGo.train(learning, Objective(BINS))
        model.save(folder)
        yield Learned(learning, held, folder, model)


class TestFeatureRewardToGo(RewardToGoContract):
    @pytest.fixture(autouse=True)
    def _saved(self, learned: Learned) -> None:
        self.model = learned.model  # loading one each time takes seconds

    def make(self) -> RewardToGo:
        return self.model


def estimates(model: RewardToGo, decision: Decision) -> list[float]:
    programs = [candidate.program for candidate in decision.judged]
    return [value.expected for value in model.predict(decision.observation, programs)]


def test_it_ranks_candidates_of_a_kindred_task_it_has_never_seen(learned: Learned) -> None:
    agreement = Agreement()
    for decision in learned.decisions:
        rewards = [one.step.reward for one in decision.judged if one.step]
        agreement = agreement.plus(estimates(learned.model, decision), rewards)
    assert agreement.believed
    assert agreement.tau > 0.3


def test_what_is_loaded_says_the_same(learned: Learned) -> None:
    again = load(learned.folder)
    assert isinstance(again, FeatureRewardToGo)
    assert again.saved == Saved.read(learned.folder)
    assert again.saved.model_copy(update={"digest": ""}) == learned.model.saved
    assert again.saved.kind == "features"
    for decision in learned.decisions[:4]:
        assert estimates(again, decision) == estimates(learned.model, decision)


def test_the_same_rows_and_seed_make_the_same_model(learned: Learned) -> None:
    few = learned.rows[:150]
    one, other = (FeatureRewardToGo.train(few, Objective(BINS), seed=3) for _ in range(2))
    for decision in learned.decisions[:4]:
        assert estimates(one, decision) == estimates(other, decision)


def test_a_foreign_object_in_the_file_is_not_made(learned: Learned, tmp_path: Path) -> None:
    learned.model.saved.write(tmp_path)
    skops_io.dump((os.system, os.system), tmp_path / "model.skops")
    with pytest.raises(InputError, match=r"cannot be read.*train it again"):
        FeatureRewardToGo.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"no zip", None])
def test_a_damaged_file(learned: Learned, tmp_path: Path, content: bytes | None) -> None:
    learned.model.saved.write(tmp_path)
    if content is not None:
        (tmp_path / "model.skops").write_bytes(content)
    with pytest.raises(InputError, match=r"model.skops cannot be read"):
        FeatureRewardToGo.load(tmp_path)
