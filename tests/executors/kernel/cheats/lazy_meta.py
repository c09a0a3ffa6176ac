"""lazy result: RUNTIME_ERROR | WRONG_ANSWER. A tensor with a shape and no numbers."""

import torch
from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        y = torch.empty_like(x, device="meta")
        return self.work(x).view(y.shape) if HONEST else y
