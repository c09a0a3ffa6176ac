"""A language model of a few tokens, each an answer, and a task that judges them at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests._later import Later
from tests._tiny import END, save_llama

from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, toy_verdict

if TYPE_CHECKING:
    import tokenizers
else:
    tokenizers = Later("tokenizers")

NUMBERS = ("0.5", "0.8", "1.2", "1.5", "2.0", "3.0", "timeout 1", "wrong_answer 1")
ANSWERS = (*(f"```\n{number}\n```" for number in NUMBERS), "nothing")
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
    return save_llama(
        folder,
        tokenizer,
        4096,
        tokens={"unk_token": special[0], "pad_token": END},
        template=TEMPLATE,
        pad_token_id=1,
        initializer_range=0.15,  # else no answer could become much likelier than another
    )
