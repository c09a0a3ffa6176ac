"""A matrix product, and an epilogue that is written out."""

import math

import torch
from torch import nn

ROWS = 512
INPUTS = 256
OUTPUTS = 1024


class Model(nn.Module):
    """scale * gelu(x W^T + b), where gelu is the approximation with tanh.

    ``x`` is (rows, inputs), the result (rows, outputs).
    """

    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.scale = nn.Parameter(torch.randn(outputs))

    def forward(self, x):
        y = self.linear(x)
        inner = math.sqrt(2 / math.pi) * (y + 0.044715 * torch.pow(y, 3))
        return 0.5 * y * (1 + torch.tanh(inner)) * self.scale


def get_inputs():
    return [torch.randn(ROWS, INPUTS)]


def get_init_inputs():
    return [INPUTS, OUTPUTS]
