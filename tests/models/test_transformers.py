"""A tiny model with random weights, built here, is asked like any other."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests._later import Later
from tests._tiny import save_llama

from maxcode.budget import (
    Answer,
    Stop,
    Transcript,
)
from maxcode.errors import InputError, ModelError
from maxcode.models.base import Prompt, ask
from maxcode.models.transformers import TransformersModel

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    import peft
    import tokenizers
    import torch
    import transformers

    from maxcode.models import weights as ours
else:
    peft, tokenizers, torch, transformers, ours = map(
        Later, ("peft", "tokenizers", "torch", "transformers", "maxcode.models.weights")
    )

PROMPT = Prompt("Make programs faster.", ("int main() {}", "Go."))
TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of a few thousand parameters, with a token for each byte, and a chat template."""

    folder = tmp_path_factory.mktemp("weights")
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    special = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<think>", "</think>"]
    vocabulary = {token: i for i, token in enumerate([*special, *alphabet])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(special[:4])
    return save_llama(folder, tokenizer, 600, template=TEMPLATE)


@pytest.fixture(scope="module")
def model(weights: Path) -> TransformersModel:
    return TransformersModel(weights, device="cpu", max_tokens=40, temperature=1.0, batch=3)


def answers(
    model: TransformersModel, samples: list[int], seed: int = 0, prompt: Prompt = PROMPT
) -> dict[int, Answer]:
    found = model.sample(prompt, samples, request="r", seed=seed)
    return {answer.call.sample: answer for answer in found}


def texts(found: dict[int, Answer]) -> dict[int, str]:
    return {sample: answer.text for sample, answer in found.items()}


def copied(weights: Path, folder: Path, **changes: Any) -> Path:
    """The model again, with other settings in its files ("config.eos_token_id")."""
    for file in weights.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    for name, value in changes.items():
        stem, _, key = name.partition("__")
        path = folder / f"{stem}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    return folder


def test_samples_differ_and_repeat(model: TransformersModel) -> None:
    before = torch.random.get_rng_state()
    first = texts(answers(model, [0, 1, 2, 3, 4]))
    assert len(set(first.values())) == 5
    assert texts(answers(model, [0, 1, 2, 3, 4])) == first
    assert texts(answers(model, [0], seed=1))[0] != first[0]
    assert torch.equal(before, torch.random.get_rng_state())


def test_calls_count_every_token(model: TransformersModel) -> None:
    found = answers(model, [0, 1, 2, 3])
    prompt = len("Make programs faster.int main() {}\n\nGo.") + 5
    calls = [answer.call for answer in found.values()]
    assert [call.input for call in calls] == [prompt] * 4
    for answer in found.values():
        assert answer.call.model == model.name
        assert answer.call.request == "r"
        assert answer.call.dollars == 0.0
        assert answer.call.seconds > 0
        assert answer.call.output == 40 or answer.stop is Stop.END
    assert any(answer.stop is Stop.LENGTH for answer in found.values())
    assert sum(call.cost.tokens for call in calls) <= model.ceiling(PROMPT.size, 4).tokens
    assert model.ceiling(10**9, 2).tokens == 2 * 600  # never more than the context


def test_an_answer_ends_at_the_end_token(weights: Path, tmp_path: Path) -> None:
    everything = list(range(262))
    folder = copied(weights, tmp_path, generation_config__eos_token_id=everything)
    answer = answers(TransformersModel(folder), [7])[7]
    assert (answer.stop, answer.call.output) == (Stop.END, 1)


def test_thoughts_are_no_part_of_the_answer(weights: Path) -> None:
    chat = ours.Chat(weights)
    tags = chat.tokenizer.get_vocab()
    hello = chat.tokenizer("hello")["input_ids"]
    inside = [tags["<think>"], *hello, tags["</think>"]]
    assert chat.decode([*inside, *hello], []) == (7, "hello")
    assert chat.decode(inside[:-1], []) == (6, "")
    assert chat.decode(hello, [tags["<think>"]]) == (5, "")
    assert chat.decode(hello, []) == (0, "hello")


def test_a_long_prompt_shortens_the_answer(weights: Path) -> None:
    model = TransformersModel(weights, max_tokens=1000, temperature=0)
    fits = Prompt("", ("x" * (600 - 256 - 5),))
    answer = answers(model, [0], prompt=fits)[0]
    assert (answer.call.input, answer.call.output, answer.stop) == (344, 256, Stop.LENGTH)
    too_long = Prompt("", (fits.user + "x",))
    with pytest.raises(ModelError, match=r"345 tokens and the model's context 600.*less than 256"):
        answers(model, [0], prompt=too_long)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
def test_an_adapter_changes_the_answers(weights: Path, tmp_path: Path) -> None:

    adapted = peft.get_peft_model(
        transformers.AutoModelForCausalLM.from_pretrained(weights),
        peft.LoraConfig(r=2, target_modules=["q_proj", "v_proj"], init_lora_weights=False),
    )
    for parameter in adapted.parameters():
        if parameter.requires_grad:
            torch.nn.init.constant_(parameter, 0.3)
    adapted.save_pretrained(str(tmp_path))
    with_it = TransformersModel(weights, adapter=tmp_path, max_tokens=20, temperature=0)
    without = TransformersModel(weights, max_tokens=20, temperature=0)
    assert texts(answers(with_it, [0])) != texts(answers(without, [0]))
    assert with_it.parameters() != without.parameters()


def test_an_answer_that_is_not_whole_at_the_deadline_is_lost(weights: Path) -> None:
    model = TransformersModel(weights, max_tokens=500)
    past = time.monotonic()
    [late] = model.sample(PROMPT, [0], request="r", seed=0, deadline=past)
    assert (late.text, late.call.output) == ("", 1)
    assert "the time of the search was over" in late.call.problem
    assert model.awaited() is None
    assert model.longest_prompt() == 600 - 600 // 3


def test_it_stops_between_tokens_and_can_be_asked_again(weights: Path) -> None:
    model = TransformersModel(weights, max_tokens=500, batch=1)
    asked: Iterator[Answer] = model.sample(PROMPT, [0, 1], request="r", seed=0)
    next(asked)
    model.stop()
    with pytest.raises(ModelError, match="given up"):
        next(asked)
    assert len(ask(model, PROMPT, 1, seed=0, transcript=Transcript())) == 1


def test_folders_that_hold_no_model(weights: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"org/name does not hold the weights of a model"):
        TransformersModel("org/name")
    with pytest.raises(InputError, match="does not hold a peft adapter"):
        TransformersModel(weights, adapter=tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="cannot be loaded"):
        TransformersModel(tmp_path).ceiling(10, 1)
