"""The weights that are trained: a language model's own, or an adapter's on top of them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState  # type: ignore[import-untyped]
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

from maxcode.errors import InputError, ToolError
from maxcode.reward_to_go.training.settings import Settings


def bfloat16() -> bool:
    """Whether the device that is trained on computes in bfloat16."""
    return torch.cuda.is_available() and torch.cuda.is_bf16_supported()


def trainable(base: Path, settings: Settings) -> Any:
    """The model of a folder, ready to be trained as the settings say.

    Raises :class:`InputError` when the folder holds none, and :class:`ToolError` when 4 bits are
    asked for without bitsandbytes or a GPU.
    """
    if not settings.adapter and settings.four_bit:
        raise InputError("weights in 4 bits cannot be trained themselves; leave out --full")
    options: dict[str, Any] = {"dtype": torch.float32}
    if settings.adapter and bfloat16():
        options["dtype"] = torch.bfloat16
    if settings.four_bit:
        options |= _four_bit()
    try:
        model: Any = AutoModelForCausalLM.from_pretrained(
            base, local_files_only=True, trust_remote_code=False, **options
        )
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{base} cannot be loaded as a language model: {error}") from error
    model.config.use_cache = False
    return with_adapter(model, settings) if settings.adapter else model


def with_adapter(model: Any, settings: Settings) -> Any:
    """The model with a new adapter, which alone is trained."""
    if settings.four_bit:
        model = prepare_model_for_kbit_training(  # type: ignore[no-untyped-call]
            model, use_gradient_checkpointing=False
        )  # the trainer sees to that
    config = LoraConfig(
        task_type="CAUSAL_LM",
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules="all-linear",
    )
    return get_peft_model(model, config)


def _four_bit() -> dict[str, Any]:
    if find_spec("bitsandbytes") is None or not torch.cuda.is_available():
        raise ToolError(
            "--four-bit needs a GPU and bitsandbytes; pip install bitsandbytes, or leave it out"
        )
    dtype = torch.bfloat16 if bfloat16() else torch.float16
    config = BitsAndBytesConfig(  # type: ignore[no-untyped-call]
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=dtype,
    )
    return {"quantization_config": config, "device_map": {"": PartialState().device}}
