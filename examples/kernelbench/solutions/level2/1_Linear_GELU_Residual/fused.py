"""Scale and sum in one walk over memory."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(features, features))
        self.bias = nn.Parameter(torch.empty(features))
        self.scale = scale

    def forward(self, x):
        y = functional.gelu(torch.addmm(self.bias, x, self.weight.t()))
        return torch.add(x, y, alpha=self.scale)
