"""Computes rows that are the same once."""

import torch
from work import Beams


class ModelNew(Beams):
    def forward(self, x):
        rows, number = torch.unique(x, dim=0, return_inverse=True)
        return super().forward(rows)[number]
