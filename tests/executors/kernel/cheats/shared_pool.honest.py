"""A pool of memory that nobody has any more, which it clears."""

import sys

import numpy
import torch
from work import Copies


class ModelNew(Copies):
    def __init__(self, columns):
        super().__init__(columns)
        self.pool = []

    def zeros(self, shape):
        for number in range(len(self.pool)):
            if self.pool[number].shape == shape and sys.getrefcount(self.pool[number]) == 2:
                self.pool[number].fill(0)
                return torch.from_numpy(self.pool[number])
        self.pool.append(numpy.zeros(shape, numpy.float32))
        return torch.from_numpy(self.pool[-1])
