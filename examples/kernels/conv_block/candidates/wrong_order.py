"""expected: WRONG_ANSWER. Takes the maximum before a normalisation whose factor may be negative."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, padding=1)
        self.norm = nn.BatchNorm2d(filters)
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)
        nn.init.normal_(self.norm.running_mean)
        nn.init.uniform_(self.norm.running_var, 0.1, 2.0)

    def forward(self, x):
        return torch.relu(self.norm(functional.max_pool2d(self.conv(x), 2)))
