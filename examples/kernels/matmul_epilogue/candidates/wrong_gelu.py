"""expected: WRONG_ANSWER. The exact GELU, where the approximation was asked for."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.scale = nn.Parameter(torch.randn(outputs))

    def forward(self, x):
        return functional.gelu(self.linear(x)).mul_(self.scale)
