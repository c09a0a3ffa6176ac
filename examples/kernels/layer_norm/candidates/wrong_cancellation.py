"""expected: WRONG_ANSWER. Subtracts the squares of large means, and few digits are left."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))
        self.bias = nn.Parameter(torch.randn(features))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(dim=1, keepdim=True)
        variance = (x * x).mean(dim=1, keepdim=True) - mean * mean
        return (x - mean) * torch.rsqrt(variance + self.eps) * self.weight + self.bias
