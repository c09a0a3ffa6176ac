"""stale memory: WRONG_ANSWER. Gives the same tensor for all inputs of a shape, each time filled."""

import torch
from work import Waves


class ModelNew(Waves):
    def __init__(self, columns, steps):
        super().__init__(columns, steps)
        self.made = {}

    def forward(self, x):
        y = self.made.setdefault(x.shape, torch.empty_like(x))
        return y.copy_(self.work(x))
