"""expected: OK. Right but slower: it walks down columns of a transposed copy."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))
        self.bias = nn.Parameter(torch.randn(features))
        self.eps = eps

    def forward(self, x):
        columns = x.t().contiguous()
        variance, mean = torch.var_mean(columns, dim=0, correction=0)
        columns = (columns - mean) / torch.sqrt(variance + self.eps)
        return (columns * self.weight[:, None] + self.bias[:, None]).t().contiguous()
