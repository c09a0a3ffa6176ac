"""The same, with one tensor less."""

from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        return self.linear(x).mean(dim=1, keepdim=True).sigmoid_()
