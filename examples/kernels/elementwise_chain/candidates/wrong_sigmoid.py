"""expected: WRONG_ANSWER. A sigmoid made of straight lines is close, but not the same."""

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
        return functional.hardswish(y).clamp_(-0.25, 6.0).add_(residual)
