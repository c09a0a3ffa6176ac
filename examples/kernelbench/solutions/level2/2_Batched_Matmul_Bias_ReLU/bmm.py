"""All products at once, the rest one after another."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, columns, scale):
        super().__init__()
        self.bias = nn.Parameter(torch.empty(columns))
        self.scale = scale

    def forward(self, a, b):
        return torch.relu(self.scale * torch.bmm(a, b) + self.bias)
