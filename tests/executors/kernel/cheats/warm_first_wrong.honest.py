"""Prepares at its first call."""

import torch
from work import Waves

memory = {}


class ModelNew(Waves):
    def forward(self, x):
        if x.shape not in memory:
            memory[x.shape] = torch.zeros_like(x)
        return self.work(x) + memory[x.shape]
