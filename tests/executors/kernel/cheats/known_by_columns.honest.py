"""Looks whether all rows repeat."""

import torch
from work import Beams


class ModelNew(Beams):
    def repeats(self, x):
        rows = x.view(-1, 32, x.shape[1])
        return torch.equal(rows, rows[:, :1].expand_as(rows))
