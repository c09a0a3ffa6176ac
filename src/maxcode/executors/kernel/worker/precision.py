"""Settings of torch by which a process computes less precisely, or otherwise, than it would."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch

_backends: Any = torch.backends
_READ: dict[str, Callable[[], Any]] = {
    "torch.get_default_dtype()": torch.get_default_dtype,
    "torch.get_float32_matmul_precision()": torch.get_float32_matmul_precision,
    "torch.backends.cuda.matmul.allow_tf32": lambda: _backends.cuda.matmul.allow_tf32,
    "torch.backends.cudnn.allow_tf32": lambda: _backends.cudnn.allow_tf32,
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction": lambda: (
        _backends.cuda.matmul.allow_fp16_reduced_precision_reduction
    ),
    "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction": lambda: (
        _backends.cuda.matmul.allow_bf16_reduced_precision_reduction
    ),
    "torch.backends.mkldnn.matmul.fp32_precision": lambda: _backends.mkldnn.matmul.fp32_precision,
    "torch.backends.mkldnn.conv.fp32_precision": lambda: _backends.mkldnn.conv.fp32_precision,
}


def settings() -> dict[str, str]:
    """Their values, by the expression that gives them; without those that this torch lacks."""
    found = {}
    for name, read in _READ.items():
        with suppress(AttributeError, RuntimeError):  # old torch; old and new settings in one
            found[name] = str(read())
    return found
