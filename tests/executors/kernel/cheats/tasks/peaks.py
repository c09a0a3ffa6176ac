"""A task whose outputs are mostly zeros: the task of looks at some places of those."""

import torch
from torch import nn

ROWS = 64
COLUMNS = 8192


class Model(nn.Module):
    """The largest two of each row of ``x``, (rows, columns), where they are."""

    def forward(self, x):
        least = x.topk(2, dim=-1).values[:, -1:]
        return torch.where(x >= least, x, torch.zeros_like(x))


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
