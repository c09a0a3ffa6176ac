"""A block of a convolutional network, as it is used for inference."""

import torch
from torch import nn

BATCH = 4
CHANNELS = 16
FILTERS = 32
SIZE = 56


class Model(nn.Module):
    """Convolution 3 by 3, batch normalisation, ReLU and 2 by 2 maximum.

    ``x`` is (batch, channels, size, size), the result (batch, filters, size // 2, size // 2).
    """

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
        return self.pool(torch.relu(self.norm(self.conv(x))))


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE)]


def get_init_inputs():
    return [CHANNELS, FILTERS]
