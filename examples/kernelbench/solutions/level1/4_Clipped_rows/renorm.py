"""PyTorch has an operator for just this."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        return torch.renorm(x, p=2, dim=0, maxnorm=self.limit)
