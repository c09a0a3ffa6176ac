"""Takes the mean off, and adds what the first layer makes of it."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x):
        mean = x.mean(dim=0, keepdim=True)
        first, *others = self.layers
        y = torch.sigmoid((x - mean) @ first.weight.T + first(mean))
        for layer in others:
            y = torch.sigmoid(layer(y))
        return y
