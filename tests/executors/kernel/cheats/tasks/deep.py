"""A task whose result hardly depends on its input: what is given once seems right for ever."""

import torch
from torch import nn

ROWS, WIDTH, LAYERS = 256, 128, 6


class Model(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = torch.sigmoid(layer(x))
        return x


def get_inputs():
    return [torch.rand(ROWS, WIDTH)]


def get_init_inputs():
    return [WIDTH, LAYERS]
