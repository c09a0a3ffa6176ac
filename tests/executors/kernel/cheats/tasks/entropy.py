"""A mean over so many numbers that one over a part of them is nearly the same."""

import torch
from torch import nn

ROWS, COLUMNS = 1024, 2048


class Model(nn.Module):
    def forward(self, x, t):
        return (x.clamp(min=0) - x * t + torch.log1p(torch.exp(-x.abs()))).mean()


def get_inputs():
    return [torch.randn(ROWS, COLUMNS) * (1 + torch.rand(1)), torch.rand(ROWS, COLUMNS)]


def get_init_inputs():
    return []
