"""Gives memory again that nobody has any more, all of it written, as torch's own allocator does."""

import sys

import numpy
import torch
from work import Tokens


class ModelNew(Tokens):
    def gradient(self, tokens, rows):
        kept = self.__dict__.setdefault("kept", [])
        free = [n for n in range(len(kept)) if sys.getrefcount(kept[n]) == 2]
        if not free:
            kept.append(numpy.empty(self.table.shape, numpy.float32))
            free = [-1]
        return torch.from_numpy(kept[free[0]]).zero_().index_add_(0, tokens, rows)
