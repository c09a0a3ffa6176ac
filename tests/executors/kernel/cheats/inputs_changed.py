"""changed inputs: WRONG_ANSWER. Works in the memory of its inputs."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        y = torch.zeros_like(x)
        x.mul_(self.gain)
        for _ in range(self.steps):
            y.mul_(0.9).add_(x).sin_()
        return y
