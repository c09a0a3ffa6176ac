"""The trained weights: a language model's own, or an adapter's on top of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

from maxcode.errors import InputError
from maxcode.reward_to_go.training.settings import Settings


def bfloat16() -> bool:
    """Whether the training device computes in bfloat16."""
    return torch.cuda.is_available() and torch.cuda.is_bf16_supported()


def trainable(base: Path, settings: Settings) -> Any:
    """The model of a folder, ready to be trained as the settings say.

    Raises :class:`InputError` when the folder holds none.
    """
    dtype = torch.bfloat16 if settings.adapter and bfloat16() else torch.float32
    try:
        model: Any = AutoModelForCausalLM.from_pretrained(
            base, local_files_only=True, trust_remote_code=False, dtype=dtype
        )
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{base} cannot be loaded as a language model: {error}") from error
    model.config.use_cache = False
    return with_adapter(model, settings) if settings.adapter else model


def with_adapter(model: Any, settings: Settings) -> Any:
    """The model with a new adapter, which alone is trained."""
    config = LoraConfig(
        task_type="CAUSAL_LM",
        r=settings.rank,
        lora_alpha=2 * settings.rank,
        lora_dropout=0.05,
        target_modules="all-linear",
    )
    return get_peft_model(model, config)


_END = "<|end|>"
_VOCABULARY = 2048
_SPREAD = 0.1  # of the first weights, about one over the root of the width
_CHARACTERS = 10_000_000  # of texts, for the tokenizer


def _first(texts: Iterable[str]) -> Iterable[str]:
    """The first different texts, up to so many characters."""
    room = _CHARACTERS
    for text in dict.fromkeys(texts):
        yield text
        room -= len(text)
        if room < 0:
            return


def write_tiny(folder: Path, texts: Iterable[str], context: int, seed: int) -> None:
    """Write a Llama of about 0.4 million weights for inputs of so many tokens.

    Its tokenizer is a byte-level BPE without merges across digits, trained on ``texts``.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY,
        special_tokens=[_END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_first(texts), trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=_END)  # type: ignore[no-untyped-call]
    fast.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=96,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=context,
        initializer_range=_SPREAD,
        bos_token_id=None,
        eos_token_id=0,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        LlamaForCausalLM(config).save_pretrained(folder)
