"""Wrong: leaves the bias out."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        return torch.sigmoid(torch.mv(x, self.linear.weight.mean(dim=0))).unsqueeze(1)
