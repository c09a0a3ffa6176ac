"""expected: OK. The layer normalisation that PyTorch has."""

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
        return functional.layer_norm(x, x.shape[1:], self.weight, self.bias, self.eps)
