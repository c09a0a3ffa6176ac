"""A language model's tokenizer and weights, loaded from a folder. Importing this takes seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from jinja2 import TemplateError
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig
from transformers.utils import logging

from maxcode.errors import InputError, ToolError


class Chat:
    """A tokenizer, and the way a model wants its prompts framed."""

    def __init__(self, path: Path) -> None:
        with _loading(path):
            self.tokenizer: Any = AutoTokenizer.from_pretrained(
                path, local_files_only=True, trust_remote_code=False
            )
        vocabulary = self.tokenizer.get_vocab()
        self._opening, self._closing = (vocabulary.get(tag) for tag in ("<think>", "</think>"))

    def framed(self, system: str, user: str) -> str:
        """A prompt as the model's chat template has it, else as plain text."""
        if not self.tokenizer.chat_template:
            return f"{system}\n\n{user}\n\n"
        turns = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        alone = [{"role": "user", "content": f"{system}\n\n{user}"}]
        options = {"tokenize": False, "add_generation_prompt": True}
        try:
            return str(self.tokenizer.apply_chat_template(turns, **options))
        except TemplateError:  # some know no system prompt
            return str(self.tokenizer.apply_chat_template(alone, **options))

    def encode(self, system: str, user: str) -> list[int]:
        """The tokens of a framed prompt."""
        special = not self.tokenizer.chat_template  # which writes them itself
        text = self.framed(system, user)
        tokens: list[int] = self.tokenizer(text, add_special_tokens=special)["input_ids"]
        return tokens

    def decode(self, written: Sequence[int], prompt: Sequence[int]) -> tuple[int, str]:
        """Number of the model's thought tokens after a prompt, and the text after them.

        Thoughts end with "</think>"; "<think>" begins them, or has begun them in the prompt.
        """
        row = list(written)
        thinking = 0
        if self._closing in row:
            thinking = len(row) - row[::-1].index(self._closing)
        elif self._opening is not None and self._opening in (*prompt[-2:], *row[:1]):
            thinking = len(row)
        return thinking, self.tokenizer.decode(row[thinking:], skip_special_tokens=True)


class Weights:
    """A causal language model on a device, perhaps with an adapter."""

    def __init__(self, path: Path, adapter: Path | None, device: str, dtype: str) -> None:
        device = _device(path, device)
        with _loading(path):
            self.model: Any = AutoModelForCausalLM.from_pretrained(
                path,
                dtype=dtype,
                device_map=device,
                local_files_only=True,
                trust_remote_code=False,
            )
            if adapter:
                from peft import PeftModel  # noqa: PLC0415 - most use none

                self.model = PeftModel.from_pretrained(self.model, str(adapter))
        self.model.eval()

    @property
    def ends(self) -> set[int]:
        """The tokens that end an answer, by the model's configuration."""
        ends = self.model.generation_config.eos_token_id
        return {ends} if isinstance(ends, int) else set(ends or ())

    def generate(
        self,
        prompt: list[int],
        rows: int,
        most: int,
        ends: set[int],
        draw: tuple[int, float, float],
        stopped: Callable[[], bool],
    ) -> list[list[int]]:
        """At most so many tokens after the prompt, in each row up to and with an end token.

        ``draw`` is a seed, the temperature and the nucleus; the state of torch's global generator
        is left alone. Raises ``MemoryError`` when the device has too little memory.
        """
        seed, temperature, top_p = draw
        sampling = {"temperature": temperature, "top_p": top_p, "top_k": 0} if temperature else {}
        inputs = torch.tensor([prompt] * rows, device=self.model.device)
        config: Any = GenerationConfig(  # type: ignore[no-untyped-call]
            max_new_tokens=most,
            do_sample=bool(temperature),
            eos_token_id=sorted(ends) or None,
            pad_token_id=min(ends, default=0),
            **sampling,
        )
        try:
            with torch.random.fork_rng():
                torch.manual_seed(seed)
                found = self.model.generate(
                    inputs,
                    attention_mask=torch.ones_like(inputs),
                    generation_config=config,
                    stopping_criteria=[lambda ids, _: torch.full_like(ids[:, 0], stopped()).bool()],
                )
        except torch.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            raise MemoryError(f"{self.model.device} has too little memory") from error
        written = [row[len(prompt) :].tolist() for row in found]
        lengths = [
            next((i for i, t in enumerate(row, 1) if t in ends), len(row)) for row in written
        ]
        return [row[:length] for row, length in zip(written, lengths, strict=True)]


def _device(path: Path, device: str) -> str:
    """The device of a model. Raises :class:`ToolError` for a missing GPU."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ToolError(f"{path}: torch finds no GPU for the device {device!r}")
    return device


@contextmanager
def _loading(path: Path) -> Iterator[None]:
    """Report mistakes in a folder; keep transformers' progress bars off the screen."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    except ImportError as error:
        raise ToolError(f"{path}: {error}; pip install 'maxcode[transformers]'") from error
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path} cannot be loaded as a language model: {error}") from error
    finally:
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
