"""expected: OK. Fewer and in-place operations of PyTorch."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(features))
        self.scale = scale

    def forward(self, x, residual):
        y = torch.add(self.bias, x, alpha=self.scale)
        functional.silu(y, inplace=True)
        return y.clamp_(-0.25, 6.0).add_(residual)
