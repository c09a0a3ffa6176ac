"""expected: OK. Right but slower: it computes in float64."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        wide = x.double() / self.temperature
        e = torch.exp(wide - wide.amax(dim=1, keepdim=True))
        return (e / e.sum(dim=1, keepdim=True)).to(x.dtype)
