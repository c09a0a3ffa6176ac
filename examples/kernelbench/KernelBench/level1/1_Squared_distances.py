import torch
from torch import nn


class Model(nn.Module):
    """The squared distance between every row of ``x`` (n, d) and every row of ``y`` (m, d)."""

    def forward(self, x, y):
        differences = x[:, None, :] - y[None, :, :]
        return (differences**2).sum(dim=2)


n = 128
m = 192
d = 96


def get_inputs():
    return [torch.randn(n, d), torch.randn(m, d)]


def get_init_inputs():
    return []
