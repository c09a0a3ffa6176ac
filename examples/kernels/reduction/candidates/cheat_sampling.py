"""expected: WRONG_ANSWER. Looks at every second column only and hopes that nobody notices."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        half = x[:, ::2]
        root = torch.linalg.vector_norm(half, dim=1) / half.shape[1] ** 0.5
        return root, half.abs().amax(dim=1), 2 * torch.sum(half > self.limit, dim=1)
