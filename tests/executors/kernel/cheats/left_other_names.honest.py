"""Keeps more than the reference does."""

import torch
from work import Norms


class ModelNew(Norms):
    def __init__(self, columns):
        super().__init__(columns)
        self.register_buffer("calls", torch.zeros(()), persistent=False)

    def update(self, x):
        super().update(x)
        self.calls += 1
