"""(x - y)^2 is x^2 + y^2 - 2xy: one product of matrices instead of n * m * d differences."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        squares = (x * x).sum(dim=1, keepdim=True) + (y * y).sum(dim=1)
        return torch.addmm(squares, x, y.t(), alpha=-2.0)
