"""Keeps memory to work in, and gives a tensor that is the caller's own."""

import torch
from work import Waves


class ModelNew(Waves):
    def __init__(self, columns, steps):
        super().__init__(columns, steps)
        self.made = {}

    def forward(self, x):
        drive = self.made.setdefault(x.shape, torch.empty_like(x))
        torch.mul(x, self.gain, out=drive)
        y = torch.zeros_like(x)
        for _ in range(self.steps):
            y.mul_(0.9).add_(drive).sin_()
        return y
