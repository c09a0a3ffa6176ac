"""A task of large results of little work, of which some are copies: the task of memory."""

import torch
from torch import nn

ROWS, COLUMNS = 64, 160


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(columns))

    def forward(self, x):
        y = torch.diag_embed(x * self.scale)
        return y, y.clone(), x.clone()
