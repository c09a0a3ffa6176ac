"""The task of cheats that put work off: rows are scaled, and a covariance is kept of them."""

import torch
from torch import nn

ROWS, COLUMNS = 256, 512


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(columns))
        self.register_buffer("covariance", torch.eye(columns))

    def forward(self, x):
        self.covariance.lerp_(x.t() @ x / x.shape[0], 0.1)
        return torch.relu(x) * self.gain
