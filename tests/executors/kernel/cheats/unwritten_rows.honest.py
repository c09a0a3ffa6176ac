"""Writes both halves."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        y = torch.empty_like(x)
        half = len(x) // 2
        y[:half] = self.work(x[:half])
        y[half:] = self.work(x[half:])
        return y
