"""expected: WRONG_ANSWER. The results are so small that zeros pass an absolute tolerance."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        return torch.zeros_like(x)
