"""A language model of a few tokens, each an answer, and a task that judges them at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests._later import Later

from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, toy_verdict

if TYPE_CHECKING:
    import tokenizers
    import torch
    import transformers
else:
    tokenizers, torch, transformers = map(Later, ("tokenizers", "torch", "transformers"))

NUMBERS = ("0.5", "0.8", "1.2", "1.5", "2.0", "3.0", "timeout 1", "wrong_answer 1")
ANSWERS = (*(f"```\n{number}\n```" for number in NUMBERS), "nothing")
END = "<|end|>"
TEMPLATE = "{% for m in messages %}{{ m.content }}{% endfor %}<|go|>"


def task(name: str = "toy") -> Task:
    return Task(name, "Make the number larger.", Program.of("1.0", "number.txt"))


def executor() -> ScriptedExecutor:
    """A number is its speedup."""
    return ScriptedExecutor(toy_verdict)


def tiny_model(folder: Path, answers: Sequence[str] = ANSWERS) -> Path:
    """A model that gives one of the answers, at first each about as often as another."""
    special = ["<|unknown|>", END, "<|go|>"]
    vocabulary = {token: number for number, token in enumerate([*special, *answers])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, "<|unknown|>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split("<|go|>", "isolated")
    tokenizer.add_tokens(list(answers))  # so that each is found in a text
    fast = transformers.PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        unk_token="<|unknown|>",  # noqa: S106
        eos_token=END,
        pad_token=END,
    )
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    config = transformers.LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=4096,
        initializer_range=0.15,  # else no answer could become much likelier than another
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=1,
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder
