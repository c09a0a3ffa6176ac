"""Gives memory back, takes it again, and fills it."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        y = self.work(x)
        z = y.clone()
        del y
        return torch.empty_like(x).copy_(z)
