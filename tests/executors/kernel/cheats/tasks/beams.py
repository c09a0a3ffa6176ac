"""A task whose rows repeat each time that they are drawn: the task of looks at some of them."""

import torch
from torch import nn

ROWS, COLUMNS = 8, 384


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.layer = nn.Linear(columns, columns)

    def repeats(self, x):
        """Whether the rows of each prompt are the same."""
        return False

    def forward(self, x):
        if self.repeats(x):
            return torch.tanh(self.layer(x[::32])).repeat_interleave(32, dim=0)
        return torch.tanh(self.layer(x))


def get_inputs():
    return [torch.randn(ROWS, COLUMNS).repeat_interleave(32, dim=0)]
