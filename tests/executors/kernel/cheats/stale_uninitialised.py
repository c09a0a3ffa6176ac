"""stale memory: WRONG_ANSWER. Fresh memory is hoped to hold the answer of somebody else."""

import torch
from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        y = torch.empty_like(x)
        return y.copy_(self.work(x)) if HONEST else y
