"""The distances that PyTorch has, squared."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        return torch.cdist(x, y) ** 2
