"""expected: WRONG_ANSWER | SUSPECT. Gives the first answer to every question of that shape."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.scale = nn.Parameter(torch.randn(outputs))
        self.answers = {}

    def forward(self, x):
        if x.shape not in self.answers:
            y = functional.gelu(self.linear(x), approximate="tanh").mul_(self.scale)
            self.answers[x.shape] = y
        return self.answers[x.shape]
