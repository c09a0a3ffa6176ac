"""A task whose rows repeat each time that they are drawn: the task of looks at some of them."""

import torch
from torch import nn

ROWS, BEAMS, COLUMNS = 8, 32, 384


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.layer = nn.Linear(columns, columns)

    def forward(self, x):
        return torch.tanh(self.layer(x))


def get_inputs():
    return [torch.randn(ROWS, COLUMNS).repeat_interleave(BEAMS, dim=0)]
