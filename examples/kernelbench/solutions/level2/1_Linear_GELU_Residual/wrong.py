"""Wrong: GELU by its approximation with tanh, which is off by up to 0.0005."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(features, features))
        self.bias = nn.Parameter(torch.empty(features))
        self.scale = scale

    def forward(self, x):
        y = functional.gelu(functional.linear(x, self.weight, self.bias), approximate="tanh")
        return torch.add(x, y, alpha=self.scale)
