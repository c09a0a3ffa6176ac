"""Rows whose beginning looks as usual come first."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        order = torch.argsort(x[:, :8].square().mean(dim=1))
        y = torch.empty_like(x)
        y[order] = self.work(x[order])
        return y
