"""Counts tensors that gc knows of."""

import gc

import torch
from work import Waves


class ModelNew(Waves):
    def __init__(self, columns, steps):
        super().__init__(columns, steps)
        self.count = sum(isinstance(one, torch.Tensor) for one in gc.get_objects())

    def forward(self, x):
        return self.work(x)
