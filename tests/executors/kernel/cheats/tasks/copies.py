"""A task of large results of little work, of which some are copies: the task of memory."""

import torch
from torch import nn

ROWS = 64
COLUMNS = 160


class Model(nn.Module):
    """``x``, (rows, columns), as diagonal matrices, a copy of them, and a copy of ``x``."""

    def __init__(self, columns):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(columns))

    def forward(self, x):
        y = torch.diag_embed(x * self.scale)
        return y, y.clone(), x.clone()


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return [COLUMNS]
