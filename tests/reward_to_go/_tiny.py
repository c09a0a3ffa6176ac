"""A language model of random weights, which is trained in seconds."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tests._later import Later

if TYPE_CHECKING:
    import tokenizers
    import torch
    import transformers
else:
    tokenizers, torch, transformers = map(Later, ("tokenizers", "torch", "transformers"))


def write_tiny(folder: Path, texts: Iterable[str], context: int, seed: int = 0) -> Path:
    """Write a Llama of about 0.4 million weights for inputs of so many tokens.

    Its tokenizer is a byte-level BPE without merges across digits, trained on ``texts``.
    """
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Digits(individual_digits=True),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=2048,
        special_tokens=["<|end|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast = transformers.PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        eos_token="<|end|>",  # noqa: S106
    )
    fast.save_pretrained(folder)
    config = transformers.LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=96,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=context,
        initializer_range=0.1,
        bos_token_id=None,
        eos_token_id=0,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder
