"""Works in memory of its own."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        y = torch.zeros_like(x)
        x = x.clone().mul_(self.gain)
        for _ in range(self.steps):
            y.mul_(0.9).add_(x).sin_()
        return y
