"""A tiny model with random weights, built here, estimates like a trained one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests._later import Later
from tests.reward_to_go._tiny import write_tiny

from maxcode.interfaces import RewardToGo
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.reward_to_go.loading import load
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.saved import Saved
from maxcode.reward_to_go.text import QUESTION, candidate_text, instructions, state_text
from maxcode.reward_to_go.transformers import TransformersRewardToGo
from maxcode.testing import RewardToGoContract
from maxcode.testing.samples import sample_task, sample_tree

if TYPE_CHECKING:
    import torch
    import transformers

    from maxcode.reward_to_go import language_model
else:
    torch, transformers = Later("torch"), Later("transformers")
    language_model = Later("maxcode.reward_to_go.language_model")

TASK = sample_task()


def seen(step: int = 0) -> Observation:
    path = sample_tree(TASK).path(step)
    return Observation(TASK, path.steps[-1], trajectory=path)


def programs(count: int) -> list[Program]:
    code = TASK.baseline.code
    return [TASK.baseline.with_code(code + f"// {i} more\n" * i) for i in range(count)]


def built(folder: Path, context: int = 1024, **saved: Any) -> Path:
    texts = [
        instructions(Objective()),
        state_text(seen(2)),
        candidate_text(seen(), programs(3)[-1]),
    ]
    write_tiny(folder, [*texts, QUESTION], context, 3)
    given = {"kind": "transformers", "bins": Bins(), "context": context, **saved}
    Saved.model_validate(given).write(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("model"))


@pytest.mark.slow
class TestTransformersRewardToGo(RewardToGoContract):
    @pytest.fixture(autouse=True)
    def _folder(self, folder: Path) -> None:
        self.folder = folder

    def make(self) -> RewardToGo:
        return load(self.folder)


def distributions(model: RewardToGo, step: int, count: int) -> torch.Tensor:
    values = model.predict(seen(step), programs(count))
    return torch.tensor([value.distribution for value in values])


@pytest.mark.slow
@pytest.mark.parametrize("batch", [1, 4, 16])
def test_scores_do_not_depend_on_the_batch(folder: Path, batch: int) -> None:
    once, again = (TransformersRewardToGo(folder, batch=size) for size in (batch, 3))
    first = distributions(once, 2, 9)
    torch.testing.assert_close(first, distributions(again, 2, 9), rtol=0, atol=1e-5)
    assert (first[0] - first[-1]).abs().max() > 1e-3  # candidates matter
    assert (first[0] - distributions(once, 0, 1)[0]).abs().max() > 1e-3  # so does the state
    torch.testing.assert_close(first, distributions(once, 2, 9), rtol=0, atol=0)


@pytest.mark.slow
def test_an_estimate_is_the_mean_of_the_bins_by_the_logits_of_their_labels(folder: Path) -> None:
    encoder = language_model.Encoder(folder, Objective(), 1024)
    program = programs(2)[1]
    prefix = encoder.prefix(state_text(seen()))
    tokens = prefix + encoder.suffix(candidate_text(seen(), program), len(prefix))
    with torch.no_grad():
        logits = transformers.LlamaForCausalLM.from_pretrained(folder)(
            torch.tensor([tokens])
        ).logits[0, -1]
    expected = logits[encoder.tokenizer.convert_tokens_to_ids(list(Bins().labels))].softmax(0)
    (value,) = load(folder).predict(seen(), [program])
    torch.testing.assert_close(torch.tensor(value.distribution), expected, rtol=0, atol=1e-5)
    assert value.expected == pytest.approx(Bins().expectation(value.distribution))


def test_pieces_have_the_tokens_of_the_whole(folder: Path) -> None:
    encoder = language_model.Encoder(folder, Objective(), 1024)
    state, candidate = state_text(seen(2)), candidate_text(seen(2), programs(3)[2])
    prefix = encoder.prefix(state)
    whole = encoder.tokenizer(f"{state}{candidate}{QUESTION}\n\n")["input_ids"]
    tokens = prefix + encoder.suffix(candidate, len(prefix))
    assert tokens[-len(whole) :] == whole


def test_what_is_too_long_loses_its_middle_but_not_the_question(folder: Path) -> None:
    encoder = language_model.Encoder(folder, Objective(), 400)
    prefix = encoder.prefix("begin " + "word " * 900 + "end\n\n")
    short = encoder.suffix("short\n\n", len(prefix))
    long = encoder.suffix("first " + "word " * 900 + "last\n\n", len(prefix))
    assert len(prefix) + len(long) == 400
    assert len(prefix) + len(short) < 400
    state, candidate = encoder.tokenizer.decode(prefix), encoder.tokenizer.decode(long)
    assert "begin word" in state
    assert state.endswith("word end\n\n")
    assert "\n[...]\n" in state
    assert candidate.startswith("first word")
    assert candidate.endswith(f"word last\n\n{QUESTION}\n\n")


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


@pytest.mark.slow
@pytest.mark.usefixtures("offline")
def test_a_base_on_the_hub_is_that_of_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    kept, (old, new) = tmp_path / "models--some--base", ("a" * 40, "b" * 40)
    for commit in (old, new):
        (kept / "snapshots" / commit).mkdir(parents=True)
        (kept / "snapshots" / commit / "config.json").write_text("{}")
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text(new)
    assert language_model.weights_folder("some/base").name == new
    assert language_model.weights_folder("some/base", old) == kept / "snapshots" / old
