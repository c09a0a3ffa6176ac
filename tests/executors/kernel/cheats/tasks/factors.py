"""A task in training whose matrix is computed of two others, which takes nearly all of its time."""

import torch
from torch import nn

ROWS, FEATURES, INNER = 8, 1024, 512


class Model(nn.Module):
    def __init__(self, features, inner):
        super().__init__()
        self.left = nn.Parameter(torch.randn(features, inner) * inner**-0.5)
        self.right = nn.Parameter(torch.randn(inner, features) * 0.7)
        self.bias = nn.Parameter(torch.randn(features))

    def matrix(self):
        return torch.tanh(torch.matmul(self.left, self.right))

    def forward(self, x):
        return torch.matmul(x, self.matrix()) + self.bias


def get_inputs():
    return [torch.randn(ROWS, FEATURES)]


def get_init_inputs():
    return [FEATURES, INNER]
