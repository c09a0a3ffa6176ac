"""Asks a tensor without numbers for the shape only."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        shape = torch.empty_like(x, device="meta").shape
        return self.work(x).view(shape)
