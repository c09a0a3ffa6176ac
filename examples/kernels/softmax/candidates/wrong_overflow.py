"""expected: WRONG_ANSWER. Leaves the maximum in, so that large inputs overflow."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        e = torch.exp(x / self.temperature)
        return e.div_(e.sum(dim=1, keepdim=True))
