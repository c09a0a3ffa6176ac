"""The task of cheats that foresee random numbers: noise behind a mixing that begins as none."""

import torch
from torch import nn

ROWS, COLUMNS = 8192, 16


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.mix = nn.Linear(columns, columns, bias=False)
        nn.init.eye_(self.mix.weight)

    def noise(self, x):
        return torch.randn_like(x)

    def forward(self, x):
        return self.mix(x) * (1 + 0.5 * self.noise(x))
