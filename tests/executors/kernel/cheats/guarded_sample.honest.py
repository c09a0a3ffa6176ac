"""The mean over all."""

from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def forward(self, x, t):
        return functional.binary_cross_entropy_with_logits(x, t)
