"""expected: OK. Normalisation folded into the weights; the maximum of four views before ReLU."""

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
        factor = self.norm.weight * torch.rsqrt(self.norm.running_var + self.norm.eps)
        weight = self.conv.weight * factor[:, None, None, None]
        bias = (self.conv.bias - self.norm.running_mean) * factor + self.norm.bias
        y = functional.conv2d(x, weight, bias, padding=1)
        height, width = y.shape[2] // 2 * 2, y.shape[3] // 2 * 2
        rows = torch.maximum(y[:, :, 0:height:2], y[:, :, 1:height:2])
        return torch.maximum(rows[..., 0:width:2], rows[..., 1:width:2]).relu_()
