"""Three reductions over the same rows, one after the other."""

import torch
from torch import nn

ROWS = 256
COLUMNS = 8192
LIMIT = 1.0


class Model(nn.Module):
    """Root mean square, largest absolute value, and the number of values above a limit.

    ``x`` is (rows, columns), each result (rows,); the number is int64.
    """

    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        root = torch.sqrt(torch.mean(x * x, dim=1))
        largest = torch.amax(torch.abs(x), dim=1)
        above = torch.sum(x > self.limit, dim=1)
        return root, largest, above


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return [LIMIT]
