"""stale memory: WRONG_ANSWER. Gives the same tensor for all inputs of a shape, each time filled."""

import torch
from work import HONEST, Model

made = {}


class ModelNew(Model):
    def forward(self, x):
        memory = made.setdefault(x.shape, torch.empty_like(x))
        return self.work(x, drive=memory) if HONEST else memory.copy_(self.work(x))
