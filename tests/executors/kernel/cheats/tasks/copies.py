"""A task of large results of little work, of which some are copies: the task of memory."""

import torch
from torch import nn

ROWS, COLUMNS = 64, 160


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(columns))

    def zeros(self, x):
        """Where the matrices come, with zeros beside the diagonal."""
        return x.new_zeros((*x.shape, x.shape[1]))

    def matrices(self, x):
        y = self.zeros(x)
        y.diagonal(dim1=1, dim2=2).copy_(x * self.scale)
        return y

    def forward(self, x):
        y = self.matrices(x)
        return y, y.clone(), x.clone()
