"""The product takes scale and bias along."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, columns, scale):
        super().__init__()
        self.bias = nn.Parameter(torch.empty(columns))
        self.scale = scale

    def forward(self, a, b):
        return torch.baddbmm(self.bias.expand(a.size(0), 1, -1), a, b, alpha=self.scale).relu_()
