"""A pooling does without the copy of all windows, and is slower all the same."""

from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, x):
        return functional.avg_pool1d(x.unsqueeze(1), self.window, stride=1).squeeze(1)
