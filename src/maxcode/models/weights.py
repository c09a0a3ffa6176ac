"""A language model's tokenizer and weights, loaded from a folder. Importing this takes seconds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from jinja2 import TemplateError
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
)
from transformers.utils import logging

from maxcode.errors import InputError, ToolError


class Chat:
    """A tokenizer, and the way a model wants its prompts framed."""

    def __init__(self, path: Path) -> None:
        with _loading(path):
            self.tokenizer: Any = AutoTokenizer.from_pretrained(
                path, local_files_only=True, trust_remote_code=False
            )

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
