"""A task whose outputs are mostly zeros: the task of looks at some places of those."""

import torch
from torch import nn

ROWS, COLUMNS = 64, 8192


class Model(nn.Module):
    def forward(self, x):
        least = x.topk(2, dim=-1).values[:, -1:]
        return torch.where(x >= least, x, torch.zeros_like(x))


def get_init_inputs():
    return []
