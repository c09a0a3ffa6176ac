"""Wrong: the last window of each row is left out and the one before it stands twice."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, x):
        means = functional.avg_pool1d(x[:, :-1].unsqueeze(1), self.window, stride=1).squeeze(1)
        return torch.cat([means, means[:, -1:]], dim=1)
