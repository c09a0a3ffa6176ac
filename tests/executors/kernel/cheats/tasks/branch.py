"""A task with a branch that is scaled by almost nothing: the task of work that changes nothing."""

import torch
from torch import nn

ROWS, COLUMNS = 64, 192


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.up = nn.Linear(columns, 4 * columns)
        self.down = nn.Linear(4 * columns, columns)
        self.scale = nn.Parameter(torch.full((columns,), 1e-6))

    def branch(self, x):
        return self.down(torch.relu(self.up(x)))

    def forward(self, x):
        return x + self.scale * self.branch(x)
