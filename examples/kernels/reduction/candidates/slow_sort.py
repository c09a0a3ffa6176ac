"""expected: OK. Right but slower: it sorts each row to find the largest value."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        ordered = torch.sort(x.abs(), dim=1).values
        root = ordered.square().mean(dim=1).sqrt()
        return root, ordered[:, -1].clone(), torch.sum(x > self.limit, dim=1)
