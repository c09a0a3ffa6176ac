"""The task of most cheats: a lot of work for a small input, so that work which is hidden shows."""

import torch
from torch import nn

ROWS, COLUMNS, STEPS = 128, 256, 32


def wave(x, gain, steps, drive=None):
    """A wave that is driven again and again, with memory for what drives it."""
    drive = torch.mul(gain, x, out=drive)
    y = torch.zeros_like(x)
    for _ in range(steps):
        y.mul_(0.9).add_(drive).sin_()
    return y


class Model(nn.Module):
    def __init__(self, columns, steps):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(columns))
        self.steps = steps

    def work(self, x, drive=None):
        return wave(x, self.gain, self.steps, drive)

    def forward(self, x):
        return self.work(x)


def get_init_inputs():
    return [COLUMNS, STEPS]
