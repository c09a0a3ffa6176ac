"""A served model is shown what the same model on this machine reads."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests._later import Later

from maxcode.models.openai import FirstTokenModel
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.reward_to_go.saved import Saved
from maxcode.reward_to_go.text import QUESTION, candidate_text, instructions, state_text
from maxcode.testing.samples import sample_task, sample_tree

if TYPE_CHECKING:
    from maxcode.reward_to_go import language_model
    from maxcode.reward_to_go.training import weights
else:
    language_model = Later("maxcode.reward_to_go.language_model")
    weights = Later("maxcode.reward_to_go.training.weights")

TASK = sample_task()
CONTEXT = 700


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("window") / "model"
    weights.write_tiny(
        folder, [instructions(Objective()), state_text(seen()), QUESTION], CONTEXT, 0
    )
    Saved(kind="transformers", bins=Bins(), context=CONTEXT).write(folder)
    return folder


def seen() -> Observation:
    path = sample_tree(TASK).path(2)
    return Observation(TASK, path.steps[-1], trajectory=path)


def long(letter: str = "w\u00f6rd") -> Program:
    lines = "".join(f"// {letter} {i}\n" for i in range(500))
    return TASK.baseline.with_code(lines + "int last;\n")


def served(folder: Path) -> OpenAIRewardToGo:
    model = FirstTokenModel("rtg", tokens=Bins().labels, base_url="http://h:1")
    return OpenAIRewardToGo(model, Objective(), folder)


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["word", "w\u00f6rd", "\u4e16\u754c"])
def test_long_texts_are_cut_as_in_training(folder: Path, letter: str) -> None:
    encoder = language_model.Encoder(folder, Objective(), CONTEXT)
    prefix = encoder.prefix(state_text(seen()))
    suffix = encoder.suffix(candidate_text(seen(), long(letter)), len(prefix))
    prompt = served(folder).prompt(seen(), long(letter))
    asked = encoder.tokenizer(f"{prompt.system}\n\n{prompt.user}\n\n")["input_ids"]
    assert CONTEXT - 8 < len(asked) <= CONTEXT == len(prefix) + len(suffix)
    read = encoder.tokenizer.decode(prefix + suffix).replace("\ufffd", "")
    first, last = len(read) - len(read.lstrip()), 200  # a token or two may be missing at cuts
    assert prompt.user[:last] in read[first:]
    assert prompt.user[-last:] in read
    assert prompt.user.count("[...]") == read.count("[...]") > 0
    assert "int last;" in prompt.user
