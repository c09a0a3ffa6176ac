"""The reward function in TRL's own trainer, with a tiny model made here."""

from __future__ import annotations

import warnings
from importlib import import_module
from pathlib import Path

import pytest
from tests._later import needs
from tests.rl._world import ANSWERS, executor, task, tiny_model

from maxcode.rl import RewardFunction, Shaping

pytestmark = [
    pytest.mark.slow,
    needs("trl"),
    pytest.mark.filterwarnings("ignore"),  # theirs
]


def test_ten_steps_of_grpo_are_paid_as_the_answers_are_judged(tmp_path: Path) -> None:
    datasets, trl = import_module("datasets"), import_module("trl")  # which take seconds

    reward = RewardFunction(task(), executor(), shaping=Shaping("speedup"), lanes=2)
    paid: list[tuple[str, float | None]] = []

    def watched(completions: list[list[dict[str, str]]], **columns: object) -> list[float | None]:
        found = reward(completions=completions, **columns)  # type: ignore[arg-type]
        texts = [one[0]["content"] for one in completions]
        paid.extend(zip(texts, found, strict=True))
        return found

    config = trl.GRPOConfig(
        output_dir=str(tmp_path / "out"),
        max_steps=10,
        per_device_train_batch_size=8,
        num_generations=8,
        max_completion_length=1,
        learning_rate=1e-2,
        use_cpu=True,
        report_to=[],
        logging_steps=1,
        save_strategy="no",
        bf16=False,
        seed=1,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = trl.GRPOTrainer(
            model=str(tiny_model(tmp_path)),
            reward_funcs=[watched],
            args=config,
            train_dataset=datasets.Dataset.from_list(reward.rows() * 8),
        )
        trainer.train()
    assert trainer.state.global_step == 10
    assert len(paid) == 80
    rewards = (0.5, 0.8, 1.2, 1.5, 2.0, 3.0, 0.0, 0.0, 0.0)
    expected = dict(zip(ANSWERS, rewards, strict=True))
    known = [(text, earned) for text, earned in paid if text in expected]
    assert len(known) > 20
    assert all(earned == expected[text] for text, earned in known)
    assert all(earned == 0.0 for text, earned in paid if text not in expected)
