"""what is left behind on norms: RUNTIME_ERROR. Keeps nothing by the names of the reference."""

import torch
from work import HONEST, Model


class ModelNew(Model):
    def __init__(self, columns):
        super().__init__(columns)
        self.register_buffer("number", torch.zeros((), dtype=torch.int64), persistent=False)
        if not HONEST:
            statistics = [self.mean, self.count]
            del self.mean, self.count
            self.mean, self.count = statistics

    def update(self, x):
        super().update(x)
        self.number += 1
