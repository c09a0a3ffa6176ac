"""A task with a branch that is scaled by almost nothing: the task of work that changes nothing."""

import torch
from torch import nn

ROWS = 64
COLUMNS = 192


class Model(nn.Module):
    """Adds a layer with its own scale, as blocks of ConvNeXt begin their training."""

    def __init__(self, columns):
        super().__init__()
        self.up = nn.Linear(columns, 4 * columns)
        self.down = nn.Linear(4 * columns, columns)
        self.scale = nn.Parameter(torch.full((columns,), 1e-6))

    def forward(self, x):
        return x + self.scale * self.down(torch.relu(self.up(x)))


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return [COLUMNS]
