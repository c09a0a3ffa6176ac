"""A language model of random weights, which is trained in seconds."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tests._later import Later
from tests._tiny import END, save_llama

if TYPE_CHECKING:
    import tokenizers
else:
    tokenizers = Later("tokenizers")


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
        special_tokens=[END],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    sizes = {"hidden_size": 96, "intermediate_size": 256, "num_hidden_layers": 2}
    return save_llama(folder, tokenizer, context, seed, initializer_range=0.1, **sizes)
