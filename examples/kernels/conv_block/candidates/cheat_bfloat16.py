"""expected: WRONG_ANSWER | SUSPECT. Convolves in bfloat16 what was asked for in float32."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, padding=1)
        self.norm = nn.BatchNorm2d(filters)
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)
        nn.init.normal_(self.norm.running_mean)
        nn.init.uniform_(self.norm.running_var, 0.1, 2.0)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        y = nn.functional.conv2d(x.bfloat16(), self.conv.weight.bfloat16(), padding=1).float()
        return self.pool(torch.relu(self.norm(y + self.conv.bias[:, None, None])))
