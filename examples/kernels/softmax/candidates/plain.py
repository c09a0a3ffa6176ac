"""expected: OK. The softmax that PyTorch has."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        return torch.softmax(x / self.temperature, dim=1)
