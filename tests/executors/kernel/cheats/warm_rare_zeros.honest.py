"""Finds them in another way in one of nine calls."""

import torch
from torch import nn

calls = {}


class ModelNew(nn.Module):
    def forward(self, x):
        calls[x.shape] = calls.get(x.shape, 0) + 1
        found = torch.zeros_like(x)
        values, _ = x.topk(2, dim=-1)
        if calls[x.shape] > 20 and calls[x.shape] % 9 == 0:
            found[x >= values[:, -1:]] = x[x >= values[:, -1:]]
            return found
        return torch.where(x >= values[:, -1:], x, found)
