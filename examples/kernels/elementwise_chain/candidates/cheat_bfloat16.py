"""expected: WRONG_ANSWER | SUSPECT. Computes in bfloat16 what was asked for in float32."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(features))
        self.scale = scale

    def forward(self, x, residual):
        y = torch.add(self.bias.bfloat16(), x.bfloat16(), alpha=self.scale)
        return functional.silu(y).clamp_(-0.25, 6.0).float().add_(residual)
