"""Takes some of the GPU's memory as it is made, and works in it."""

import torch
from work import Waves


class ModelNew(Waves):
    def __init__(self, columns, steps):
        super().__init__(columns, steps)
        self.space = torch.empty(1 << 20, device="cuda")

    def forward(self, x):
        y = self.work(x)
        self.space[: y.numel()].copy_(y.flatten())
        return self.space[: y.numel()].view_as(y).clone()
