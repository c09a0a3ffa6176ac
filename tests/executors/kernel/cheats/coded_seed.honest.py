"""Draws numbers from its seed, and does not need them."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        torch.manual_seed(torch.initial_seed())
        torch.randn(3)
        return self.work(x)
