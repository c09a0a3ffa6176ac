"""A tiny model is trained for real: it learns, stops, goes on, and is saved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests._later import Later
from tests.reward_to_go.training.conftest import tiny_settings, toy_rows

from maxcode.observation import Observation
from maxcode.reward_to_go.dataset import Dataset
from maxcode.reward_to_go.loading import load
from maxcode.reward_to_go.saved import Saved
from maxcode.reward_to_go.training.place import Place
from maxcode.reward_to_go.training.settings import Settings
from maxcode.testing.samples import sample_task, sample_tree

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"),
]

if TYPE_CHECKING:
    from maxcode.reward_to_go.training import run
else:
    run = Later("maxcode.reward_to_go.training.run")


def silent(_: str) -> None:
    pass


def figures(folder: Path, key: str) -> list[float]:
    lines = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
    return [line[key] for line in lines if key in line]


def test_it_learns_what_there_is_to_learn(trained: tuple[Path, list[str]]) -> None:
    folder, said = trained
    losses = figures(folder, "eval_loss")
    assert losses[-1] < 0.6 * losses[0]
    assert max(figures(folder, "eval_ranking")) > 0.8
    assert len(figures(folder, "loss")) >= 20
    assert sum("held out" in line and "ranking" in line for line in said) >= 3
    assert not Place(folder).work.exists()


def test_what_was_trained_is_saved_whole(
    trained: tuple[Path, list[str]], data: Callable[[int], Dataset]
) -> None:
    folder, _ = trained
    saved = Saved.read(folder)
    bins = data(1).card.bins
    assert (saved.kind, saved.bins, saved.context) == ("transformers", bins, 512)
    scorer: Any = load(folder)._scorer  # type: ignore[attr-defined]
    held_out = toy_rows(1000, 1)
    found = scorer.distributions(held_out[0].prompt, [one.candidate for one in held_out])
    estimates = [bins.expectation(row) for row in found]
    order = sorted(range(5), key=lambda i: estimates[i])
    assert order == sorted(range(5), key=lambda i: held_out[i].value)
    task = sample_task()
    path = sample_tree(task).path(2)
    observation = Observation(task, path.steps[-1], trajectory=path)
    assert len(load(folder).predict(observation, [task.baseline])) == 1


class _Interrupting:
    """Says nothing, and breaks off at the second epoch's figures, or others'."""

    def __init__(self, at: int = 2) -> None:
        self.at = at
        self.told = 0

    def __call__(self, line: str) -> None:
        self.told += "held out" in line
        if self.told == self.at:
            raise KeyboardInterrupt


def test_an_interrupted_training_goes_on_from_its_checkpoint(
    tmp_path: Path, data: Callable[[int], Dataset]
) -> None:
    out, whole = tmp_path / "broken", tmp_path / "whole"
    small = data(4)
    settings = tiny_settings(tmp_path / "base", toy_rows(0, 4), epochs=2, batch=5)
    with pytest.raises(KeyboardInterrupt):
        run.train(settings, small, out, say=_Interrupting())
    place = Place(out)
    checkpoint = place.checkpoint()
    assert checkpoint is not None
    assert checkpoint.name == "checkpoint-4"
    assert not out.exists()
    run.train(settings, small, out, resume=True, say=silent)
    run.train(settings, small, whole, say=silent)
    for key in ("eval_loss", "eval_ranking"):
        assert figures(out, key) == pytest.approx(figures(whole, key), abs=1e-5)
    assert len(figures(out, "loss")) == len(figures(whole, "loss"))


def test_an_adapter_is_trained_on_top_of_weights_that_stay(
    tmp_path: Path, data: Callable[[int], Dataset]
) -> None:
    base, out = tmp_path / "base", tmp_path / "out"
    small, rows = data(3), toy_rows(0, 3)
    tiny_settings(base, rows)
    before = (base / "model.safetensors").read_bytes()
    settings = Settings(model=str(base), epochs=1, rank=4, evaluate_every=2, batch=5)
    run.train(settings, small, out, say=silent)
    assert (base / "model.safetensors").read_bytes() == before
    assert (out / "adapter_config.json").is_file()
    assert not (out / "model.safetensors").exists()
    saved = Saved.read(out)
    assert (saved.base, saved.context) == (str(base), 512)  # the model reads no more
    assert len(figures(out, "eval_loss")) == 2
    scorer: Any = load(out)._scorer  # type: ignore[attr-defined]
    assert type(scorer.model).__name__ == "PeftModelForCausalLM"
    assert len(scorer.distributions(rows[0].prompt, [rows[0].candidate])) == 1
