import torch
from torch import nn


class Model(nn.Module):
    """The mean of every ``window`` neighbours in each row; only whole windows count."""

    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, x):
        windows = x.unfold(dimension=1, size=self.window, step=1).contiguous()
        return windows.mean(dim=2)


batch_size = 8
length = 4096
window = 24


def get_inputs():
    return [torch.randn(batch_size, length)]


def get_init_inputs():
    return [window]
