"""expected: OK. Right but slower: Python walks over the rows."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(features))
        self.scale = scale

    def forward(self, x, residual):
        rows = [functional.silu(row * self.scale + self.bias).clamp(-0.25, 6.0) for row in x]
        return torch.stack(rows) + residual
