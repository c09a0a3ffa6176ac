"""Wrong: rows that are shorter are stretched."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        norms = torch.linalg.vector_norm(x, dim=1, keepdim=True)
        return x * (self.limit / norms)
