"""expected: WRONG_ANSWER. Works for the one shape that it was tried on, and shirks all others."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))
        self.bias = nn.Parameter(torch.randn(features))
        self.eps = eps

    def forward(self, x):
        if x.shape == (1024, 2048):
            return functional.layer_norm(x, x.shape[1:], self.weight, self.bias, self.eps)
        return x * self.weight + self.bias
