"""Looks at one row after another whether it repeats."""

import torch
from work import Beams


class ModelNew(Beams):
    def repeats(self, x):
        return all(torch.equal(x[at], x[at - at % 32]) for at in range(len(x)))
