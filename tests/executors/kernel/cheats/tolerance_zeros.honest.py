"""Fills zeros."""

import torch
from work import Shares


class ModelNew(Shares):
    def shares(self, x):
        return torch.zeros_like(x).add_(torch.softmax(x, dim=1))
