"""A tiny language model with random weights, and a tokenizer made of the texts it will read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

_END = "<|end|>"
_VOCABULARY = 2048
_SPREAD = 0.1  # of the first weights, about one over the root of the width
_CHARACTERS = 10_000_000  # of texts, for the tokenizer


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
    tokenizer.train_from_iterator(_some(texts), trainer)
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


def _some(texts: Iterable[str]) -> Iterable[str]:
    """The first texts, each once, up to so many characters."""
    room = _CHARACTERS
    for text in dict.fromkeys(texts):
        yield text
        room -= len(text)
        if room < 0:
            return
