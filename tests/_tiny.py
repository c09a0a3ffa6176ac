"""Language models of random weights, built in a moment."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests._later import Later

if TYPE_CHECKING:
    import torch
    import transformers
else:
    torch, transformers = map(Later, ("torch", "transformers"))

END = "<|end|>"


def save_llama(folder: Path, tokenizer: Any, context: int, seed: int = 1, **given: Any) -> Path:
    """Write a Llama of one layer, or as given, with a tokenizer whose texts end with END."""
    fast = transformers.PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, eos_token=END, **given.pop("tokens", {})
    )
    fast.chat_template = given.pop("template", None)
    fast.save_pretrained(folder)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    config = transformers.LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        num_attention_heads=2,
        max_position_embeddings=context,
        bos_token_id=None,
        eos_token_id=tokenizer.token_to_id(END),
        **{**sizes, **given},
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder
