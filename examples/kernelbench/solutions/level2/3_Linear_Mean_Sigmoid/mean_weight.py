"""The mean of products is a product with the mean of the weights."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        weight, bias = self.linear.weight.mean(dim=0), self.linear.bias.mean()
        return torch.sigmoid(torch.mv(x, weight) + bias).unsqueeze(1)
