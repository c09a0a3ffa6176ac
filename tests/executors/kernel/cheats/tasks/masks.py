"""A task with a mask that keeps the first part of each row, whenever it is drawn."""

import torch
from torch import nn

ROWS, KEYS, WIDTH = 4, 1024, 32


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def kept(self, mask):
        """How many keys there are to look at."""
        return mask.shape[1]

    def forward(self, x, mask):
        count = self.kept(mask)
        keys, hidden = x[:, :count], ~mask[:, None, :count]
        scores = x[:, :64] @ keys.transpose(1, 2) / self.width**0.5
        return torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=2) @ keys


def get_inputs():
    lengths = torch.randint(KEYS // 8, KEYS // 4, (ROWS, 1))
    return [torch.randn(ROWS, KEYS, WIDTH), torch.arange(KEYS) < lengths]


def get_init_inputs():
    return [WIDTH]
