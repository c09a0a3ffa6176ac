"""expected: OK. Right but slower: the product is computed in float64."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.scale = nn.Parameter(torch.randn(outputs))

    def forward(self, x):
        y = functional.linear(x.double(), self.linear.weight.double(), self.linear.bias.double())
        return (functional.gelu(y, approximate="tanh") * self.scale).to(x.dtype)
