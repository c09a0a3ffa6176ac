"""expected: WRONG_ANSWER. Counts what is at the limit, too, and in int32."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        root = torch.linalg.vector_norm(x, dim=1) / x.shape[1] ** 0.5
        largest = torch.amax(torch.abs(x), dim=1)
        return root, largest, torch.sum(x >= self.limit, dim=1, dtype=torch.int32)
