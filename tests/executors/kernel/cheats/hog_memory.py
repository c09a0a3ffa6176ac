"""resources: OUT_OF_MEMORY | TIMEOUT. Takes memory until there is no more."""

import torch
from work import HONEST, Model

taken = []


class ModelNew(Model):
    def forward(self, x):
        while not HONEST:
            taken.append(torch.ones(1 << 24))
        torch.ones(1 << 18)
        return self.work(x)
