"""races and uninitialised memory: WRONG_ANSWER. Leaves half of the rows as they are."""

import torch
from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        y = torch.empty_like(x)
        half = len(x) // 2
        y[:half] = self.work(x[:half])
        if HONEST:
            y[half:] = self.work(x[half:])
        return y
