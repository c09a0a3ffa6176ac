"""A tiny model is trained while it searches: it gains, resumes and is rolled back."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest
from tests.rl._world import executor, task, tiny_model

from maxcode.budget import Budget
from maxcode.errors import InputError
from maxcode.generators.llm import ModelGenerator
from maxcode.journal.journal import Journal, RunLog
from maxcode.models.transformers import TransformersModel
from maxcode.observation import Observe
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.prompts.prompts import Prompts
from maxcode.rl import LoRATrainer
from maxcode.search.search import Search

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"),
]


def search(
    weights: Path,
    folder: Path,
    journal: Journal | RunLog,
    rounds: int,
    trained: bool = True,
) -> Search:
    model = TransformersModel(weights, device="cpu", max_tokens=2, temperature=1.0, batch=32)
    trainer = LoRATrainer(model, folder, rate=0.01, passes=4, keep=0.0) if trained else None
    return Search(
        task(),
        generator=ModelGenerator(model, Prompts(form="program")),
        executor=executor(),
        policy=BestOfN(n=32 * rounds, batch=32),
        budget=Budget(),
        journal=journal,
        options=Options(
            seed=3,
            trainer=trainer,
            observe=Observe.nothing(),
            patience=1000,
            fuzz=0,
            minimise=0.0,
        ),
    )


def means(found: Search) -> list[float]:
    return [one.reward for one in found.state.trained]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("weights"))


def test_rewards_rise_and_a_resumed_run_goes_on_with_the_same_weights(
    weights: Path, tmp_path: Path, journal: Journal
) -> None:
    whole = search(weights, tmp_path / "whole", journal, rounds=8)
    whole.run()
    rewards = means(whole)
    assert fmean(rewards[-4:]) > 1.2 * fmean(rewards[:3])

    broken = search(weights, tmp_path / "broken", journal, rounds=8)
    steps = broken.steps()
    for step in steps:
        if step.expansion == 2:
            break
    steps.close()
    again = search(weights, tmp_path / "broken", journal.run(broken.run_id), rounds=8)
    again.run()
    assert again.state.trained == whole.state.trained
    programs = [[step.program.digest for step in one.state.tree] for one in (whole, again)]
    assert programs[0] == programs[1]


def test_a_trained_run_takes_its_trainer_to_go_on(
    weights: Path, tmp_path: Path, journal: Journal
) -> None:
    first = search(weights, tmp_path, journal, rounds=1)
    first.run()
    with pytest.raises(InputError, match="trained its generator"):
        search(weights, tmp_path, journal.run(first.run_id), rounds=2, trained=False)
    with pytest.raises(InputError, match="needs in_flight=1"):
        Options(in_flight=2, trainer=LoRATrainer(TransformersModel(weights), tmp_path))
