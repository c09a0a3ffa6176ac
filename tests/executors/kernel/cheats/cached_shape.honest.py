"""The same shape gets the same working memory."""

import torch
from work import Waves

memory = {}


class ModelNew(Waves):
    def forward(self, x):
        if x.shape not in memory:
            memory[x.shape] = torch.empty_like(x)
        drive = torch.mul(self.gain, x, out=memory[x.shape])
        y = torch.zeros_like(x)
        for _ in range(self.steps):
            y.mul_(0.9).add_(drive).sin_()
        return y
