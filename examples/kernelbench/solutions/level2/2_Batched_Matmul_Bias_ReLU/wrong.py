"""Wrong: the bias is added down the columns, which fits only because products are square."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, columns, scale):
        super().__init__()
        self.bias = nn.Parameter(torch.empty(columns))
        self.scale = scale

    def forward(self, a, b):
        return torch.baddbmm(self.bias[:, None], a, b, alpha=self.scale).relu_()
