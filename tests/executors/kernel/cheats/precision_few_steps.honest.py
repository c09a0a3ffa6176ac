"""Takes all steps, in two halves."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        drive, y = self.gain * x, torch.zeros_like(x)
        for half in (self.steps // 2, self.steps - self.steps // 2):
            for _ in range(half):
                y.mul_(0.9).add_(drive).sin_()
        return y
